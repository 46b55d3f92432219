import type { LucideIcon } from "lucide-react";
import { useState, type ButtonHTMLAttributes, type Ref } from "react";
import { keyName } from "@/text/keyName";

type Look = "primary" | "plain" | "quiet" | "danger";

const looks: Record<Look, string> = {
  primary: "bg-accent text-on-accent border-accent hover:bg-accent-hover hover:border-accent-hover",
  plain: "bg-surface text-ink border-line-strong hover:bg-hover",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-surface text-failed border-failed hover:bg-failed-soft",
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  icon?: LucideIcon;
  /** A key that does the same, e.g. "Ctrl Enter". */
  keys?: string;
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/**
 * What switches a button off. One that has the focus keeps it, and says that it is off: a browser takes the focus
 * from a button that is disabled, and whoever works by keyboard would be nowhere.
 */
function useOff({ disabled, onFocus, onBlur, onClick }: ButtonProps): ButtonHTMLAttributes<HTMLButtonElement> {
  const [focused, setFocused] = useState(false);
  return {
    ...(disabled && (focused ? { "aria-disabled": true } : { disabled })),
    onFocus: (event) => { setFocused(true); onFocus?.(event); },
    onBlur: (event) => { setFocused(false); onBlur?.(event); },
    onClick: disabled ? (event) => event.preventDefault() : onClick,
  };
}

export function Button({ look = "plain", icon: Icon, keys, small, className = "", children, ...rest }: ButtonProps) {
  const off = useOff(rest);
  const { disabled: _, ...others } = rest;
  return (
    <button
      type="button"
      className={`inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap max-w-full max-sm:whitespace-normal max-sm:shrink-0 max-sm:wrap-anywhere transition-colors disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-ink-3 aria-disabled:cursor-not-allowed aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-ink-3 ${small ? "min-h-7 px-2 text-sm" : "min-h-row px-3"} ${looks[look]} ${className}`}
      {...others}
      {...off}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
      {keys && <kbd className="ml-1 text-xs opacity-80 max-sm:hidden">{keyName(keys)}</kbd>}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
  icon: LucideIcon;
  /** Read by screen readers and shown on hover. */
  label: string;
}

export function IconButton({ icon: Icon, label, look = "quiet", small, className = "", keys, ...rest }: IconButtonProps) {
  const off = useOff(rest);
  const { disabled: _, ...others } = rest;
  return (
    <button
      type="button"
      aria-label={label}
      title={keys ? `${label} (${keyName(keys)})` : label}
      className={`inline-flex shrink-0 items-center justify-center rounded-md border transition-colors disabled:text-ink-3 aria-disabled:text-ink-3 ${small ? "size-7" : "size-row"} ${looks[look]} ${className}`}
      {...others}
      {...off}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  );
}
