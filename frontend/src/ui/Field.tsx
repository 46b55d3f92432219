import { useId, type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes } from "react";

export const inputLook =
  "w-full rounded-md border border-line-strong bg-surface px-2.5 text-ink min-h-row aria-invalid:border-failed disabled:bg-sunken disabled:text-ink-3";

interface Extra {
  label: string;
  hint?: ReactNode;
  /** Shown in red below; marks the field invalid. */
  problem?: string;
}

export function Field({ label, hint, problem, ref, className = "", ...rest }: InputHTMLAttributes<HTMLInputElement> & Extra & { ref?: Ref<HTMLInputElement> }) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <input ref={ref} id={id} aria-invalid={problem ? true : undefined} aria-describedby={`${id}-note`} className={inputLook} {...rest} />
      <Note id={`${id}-note`} hint={hint} problem={problem} />
    </div>
  );
}

export function TextField({ label, hint, problem, ref, mono, className = "", ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement> & Extra & { ref?: Ref<HTMLTextAreaElement>; mono?: boolean }) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <textarea ref={ref} id={id} aria-invalid={problem ? true : undefined} aria-describedby={`${id}-note`} className={`${inputLook} py-1.5 ${mono ? "font-mono text-sm" : ""}`} {...rest} />
      <Note id={`${id}-note`} hint={hint} problem={problem} />
    </div>
  );
}

function Note({ id, hint, problem }: { id: string; hint?: ReactNode; problem?: string }) {
  return (
    <div id={id} className="mt-1 text-xs">
      {problem ? <p role="alert" className="text-failed">{problem}</p> : hint ? <p className="text-ink-3">{hint}</p> : null}
    </div>
  );
}
