import { KeyRound, UserPlus } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useRead } from "@/api/query";
import type { Person } from "@/forms/types";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Field, TextField } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { Standing, stands, type By } from "./Standing";
import { useSave } from "./useSave";

type Problem = "settings.enterAName" | "settings.giveARoleOrAPassphrase" | "settings.aPassphraseHasAtLeast" | "settings.theTwoAreNotTheSame";

/** Who may decide, with which roles, and how they sign. */
export function People() {
  const { data, error, isPending, refetch } = useRead<{ people: Person[] }>("/api/people");
  const [open, setOpen] = useState("");
  const list = data?.people ?? [];
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("settings.rulesMayAskForAVerdict")}</p>
      {error && <ErrorNote error={error} title={t("settings.thePeopleCouldNotBeRead")} retry={() => void refetch()} />}
      {isPending && <Loading />}
      {data && list.length === 0 && <Empty icon={KeyRound} title={t("settings.nobodyHasARole")}>{t("settings.untilThenAnybodyDecides")}</Empty>}
      {list.filter((one) => one.signs && !one.elsewhere).length > 1 && !list.some((one) => one.roles.some((role) => role.toLowerCase() === "administrator")) && <p className="text-sm text-held">{t("settings.nobodyAdministers")}</p>}
      {list.length > 0 && (
        <ul aria-label={t("settings.whoMayDecide")} className="space-y-2">
          {list.map((person) => (
            <li key={person.name} className="space-y-3 rounded-md border bg-surface p-3">
              <div className="flex flex-wrap items-start justify-between gap-2">
                <div className="min-w-0 space-y-1">
                  <p className="font-medium wrap-anywhere">{visibleText(person.name)}</p>
                  <p className="flex flex-wrap gap-1">{person.roles.length > 0 ? person.roles.map((role) => <Chip key={role}>{visibleText(role)}</Chip>) : <span className="text-sm text-ink-2">{t("settings.noRoles")}</span>}</p>
                  <p className="text-sm text-ink-2">{person.elsewhere ? t("settings.signsElsewhere") : person.signs ? t("settings.signsWithAPassphrase") : t("settings.decidesByName")}{person.key && <>{t("settings.publicKey")} <ShortId value={person.key} length={14} what={t("settings.publicKey2")} /></>}</p>
                </div>
                <Button small aria-expanded={open === person.name} aria-label={open === person.name ? t("settings.closeNamed", { name: person.name }) : t("settings.changeNamed", { name: person.name })} onClick={() => setOpen(open === person.name ? "" : person.name)}>{open === person.name ? t("settings.close") : t("settings.change")}</Button>
              </div>
              {open === person.name && (
                <div className="grid gap-4 border-t pt-3 lg:grid-cols-2">
                  <Roles person={person} people={list} />
                  {person.elsewhere ? <Elsewhere person={person} people={list} /> : <Passphrase person={person} people={list} />}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      <section aria-label={t("settings.addAPerson")} className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="flex items-center gap-2 font-semibold"><UserPlus aria-hidden className="size-4" />{t("settings.addAPerson")}</h3>
        <Add people={list} />
      </section>
      <section aria-label={t("settings.aColleagueWhoSignsElsewhere")} className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="font-semibold">{t("settings.aColleagueWhoSignsElsewhere")}</h3>
        <p className="text-sm text-ink-2">{t("settings.theirVerdictsComeInSigned")}</p>
        <Colleague people={list} />
      </section>
    </div>
  );
}

function Add({ people }: { people: Person[] }) {
  const [by, setBy] = useState<By>({ name: "", passphrase: "" });
  const [name, setName] = useState("");
  const [roles, setRoles] = useState("");
  const [next, setNext] = useState("");
  const [twice, setTwice] = useState("");
  const [problem, setProblem] = useState<Problem | "">("");
  const { busy, failure, save } = useSave("people");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = !name.trim() ? "settings.enterAName" : !roles.trim() && !next ? "settings.giveARoleOrAPassphrase" : next && [...next].length < 8 ? "settings.aPassphraseHasAtLeast" : next !== twice ? "settings.theTwoAreNotTheSame" : "";
    setProblem(wrong);
    if (wrong) return;
    const done = (!roles.trim() || (await save("set_roles", { name: name.trim(), roles, ...stands(by) }, t("settings.saved")))) && (!next || (await save("set_passphrase", { name: name.trim(), old: "", passphrase: next, ...stands(by) }, t("settings.signsWithTheNewPassphrase", { name: name.trim() }))));
    setNext("");
    setTwice("");
    setBy({ ...by, passphrase: "" });
    if (!done) return;
    setName("");
    setRoles("");
  };
  return (
    <form className="grid gap-3 sm:grid-cols-2" onSubmit={(event) => void submit(event)}>
      <Field label={t("settings.name")} hint={t("settings.asApprovalsShowIt")} value={name} problem={problem === "settings.enterAName" ? t(problem) : undefined} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      <Field label={t("settings.roles")} hint={t("settings.suchAsEngineerOrLand")} value={roles} problem={problem === "settings.giveARoleOrAPassphrase" ? t(problem) : undefined} autoComplete="off" onChange={(event) => setRoles(event.target.value)} />
      <Field label={t("settings.passphraseForSigningOptional")} hint={t("settings.atLeast8Characters")} type="password" autoComplete="new-password" value={next} problem={problem === "settings.aPassphraseHasAtLeast" ? t(problem) : undefined} onChange={(event) => setNext(event.target.value)} />
      <Field label={t("settings.passphraseOnceMore")} type="password" autoComplete="new-password" value={twice} problem={problem === "settings.theTwoAreNotTheSame" ? t(problem) : undefined} onChange={(event) => setTwice(event.target.value)} />
      <div className="sm:col-span-2"><Standing people={people} by={by} set={setBy} /></div>
      {failure !== null && <div className="sm:col-span-2"><ErrorNote error={failure} /></div>}
      <div><Button type="submit" look="primary" disabled={busy}>{t("settings.addAPerson")}</Button></div>
    </form>
  );
}

function Roles({ person, people }: { person: Person; people: Person[] }) {
  const [by, setBy] = useState<By>({ name: "", passphrase: "" });
  const [roles, setRoles] = useState(person.roles.join(", "));
  const { busy, failure, save } = useSave("people");
  return (
    <form className="space-y-3" onSubmit={(event) => { event.preventDefault(); void save("set_roles", { name: person.name, roles, ...stands(by) }, t("settings.saved")).then(() => setBy({ ...by, passphrase: "" })); }}>
      <Field label={t("settings.roles")} hint={t("settings.suchAsEngineerOrLand")} value={roles} autoComplete="off" onChange={(event) => setRoles(event.target.value)} />
      <Standing people={people} by={by} set={setBy} />
      {failure !== null && <ErrorNote error={failure} />}
      <Button type="submit" disabled={busy}>{t("settings.saveTheRoles")}</Button>
    </form>
  );
}

function Passphrase({ person, people }: { person: Person; people: Person[] }) {
  const [by, setBy] = useState<By>({ name: "", passphrase: "" });
  const [old, setOld] = useState("");
  const [next, setNext] = useState("");
  const [twice, setTwice] = useState("");
  const [problem, setProblem] = useState<Problem | "">("");
  const { busy, failure, save } = useSave("people");
  const put = async (passphrase: string, said: string) => {
    await save("set_passphrase", { name: person.name, old, passphrase, ...stands(by) }, said);
    // Neither stays on the screen, whatever came of it.
    setOld("");
    setNext("");
    setTwice("");
    setBy({ ...by, passphrase: "" });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = [...next].length < 8 ? "settings.aPassphraseHasAtLeast" : next !== twice ? "settings.theTwoAreNotTheSame" : "";
    setProblem(wrong);
    if (!wrong) void put(next, t("settings.signsWithTheNewPassphrase", { name: person.name }));
  };
  return (
    <form className="space-y-3" onSubmit={submit} aria-label={t("settings.passphraseForSigning")}>
      {person.signs && <Field label={t("settings.passphraseUntilNow")} type="password" autoComplete="off" value={old} onChange={(event) => setOld(event.target.value)} />}
      <Field label={t("settings.newPassphrase")} hint={t("settings.atLeast8Characters")} type="password" autoComplete="new-password" value={next} problem={problem === "settings.aPassphraseHasAtLeast" ? t(problem) : undefined} onChange={(event) => setNext(event.target.value)} />
      <Field label={t("settings.newPassphraseOnceMore")} type="password" autoComplete="new-password" value={twice} problem={problem === "settings.theTwoAreNotTheSame" ? t(problem) : undefined} onChange={(event) => setTwice(event.target.value)} />
      {!person.signs && <Standing people={people} by={by} set={setBy} />}
      {failure !== null && <ErrorNote error={failure} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" icon={KeyRound} disabled={busy}>{t("settings.setThePassphrase")}</Button>
        {person.signs && <Button look="danger" disabled={busy} onClick={() => void put("", t("settings.signsByName", { name: person.name }))}>{t("settings.signByNameAgain")}</Button>}
      </div>
    </form>
  );
}

/** How a colleague's key is taken away; another one is given below, as the first was. */
function Elsewhere({ person, people }: { person: Person; people: Person[] }) {
  const [by, setBy] = useState<By>({ name: "", passphrase: "" });
  const { busy, failure, save } = useSave("people");
  const remove = async () => {
    await save("set_passphrase", { name: person.name, old: "", passphrase: "", ...stands(by) }, t("settings.signsByName", { name: person.name }));
    setBy({ ...by, passphrase: "" });
  };
  return (
    <div className="space-y-3">
      <p className="text-sm text-ink-2">{t("settings.anotherKeyIsGivenBelow")}</p>
      <Standing people={people} by={by} set={setBy} />
      {failure !== null && <ErrorNote error={failure} />}
      <Button look="danger" disabled={busy} onClick={() => void remove()}>{t("settings.removeTheirKey")}</Button>
    </div>
  );
}

function Colleague({ people }: { people: Person[] }) {
  const [by, setBy] = useState<By>({ name: "", passphrase: "" });
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<Problem | "">("");
  const { busy, failure, save } = useSave("people");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(name.trim() ? "" : "settings.enterAName");
    if (name.trim() && (await save("trust_key", { name: name.trim(), key: key.trim(), ...stands(by) }, t("settings.theirSignatureIsKnownNow")))) {
      setName("");
      setKey("");
      setBy({ ...by, passphrase: "" });
    }
  };
  return (
    <form className="space-y-3" onSubmit={(event) => void submit(event)}>
      <Field label={t("settings.name")} value={name} problem={problem ? t(problem) : ""} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      <TextField label={t("settings.publicKey3")} hint={t("settings.itBeginsWith")} mono rows={2} spellCheck={false} value={key} onChange={(event) => setKey(event.target.value)} />
      <Standing people={people} by={by} set={setBy} />
      {failure !== null && <ErrorNote error={failure} />}
      <Button type="submit" disabled={busy}>{t("settings.trustThisKey")}</Button>
    </form>
  );
}
