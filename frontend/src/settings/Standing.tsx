import { useId } from "react";
import type { Person } from "@/forms/types";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { Field, inputLook } from "@/ui/Field";

export interface By {
  name: string;
  passphrase: string;
}

/** What a call says of who stands for it: nothing where no passphrase was given. */
export const stands = (by: By) => (by.passphrase ? { by } : {});

/** Who stands for a change of who decides, with their passphrase, once somebody has one. */
export function Standing({ people, by, set }: { people: Person[]; by: By; set(to: By): void }) {
  const id = useId();
  const all = people.filter((one) => one.signs && !one.elsewhere);
  const administrators = all.filter((one) => one.roles.some((role) => role.toLowerCase() === "administrator"));
  const signers = administrators.length > 0 ? administrators : all;
  if (signers.length === 0) return null;
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="mb-1 text-sm text-ink-2">{t("settings.onePersonStands")}</legend>
      <div className="space-y-1">
        <label htmlFor={id} className="text-sm font-medium">{t("settings.whoStands")}</label>
        <select id={id} className={inputLook} value={by.name} onChange={(event) => set({ ...by, name: event.target.value })}>
          <option value="">{t("settings.choosePerson")}</option>
          {signers.map((one) => <option key={one.name} value={one.name}>{visibleText(one.name)}</option>)}
        </select>
      </div>
      <Field label={t("settings.theirPassphrase")} type="password" autoComplete="off" value={by.passphrase} onChange={(event) => set({ ...by, passphrase: event.target.value })} />
    </fieldset>
  );
}
