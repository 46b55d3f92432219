import { KeyRound, UserPlus } from "lucide-react";
import { useState, type FormEvent } from "react";
import { queryClient, useRead } from "@/api/query";
import type { Person } from "@/filing/types";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Field, TextField } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { say } from "@/ui/toasts";

const words = {
  about: "Rules may ask for a verdict by one person or by a person with a role. Whoever is at the keyboard is asked for their name with each verdict, and for their passphrase where they have one; nobody is assumed.",
  failed: "The people could not be read.",
  nobody: "Nobody has a role or a passphrase",
  nobodyText: "Until then anybody decides under the name that they write on the card.",
  list: "Who may decide",
  noRoles: "no roles",
  byName: "decides by name",
  signs: "signs with a passphrase",
  key: "public key",
  change: "Change",
  close: "Close",
  add: "Add a person",
  colleague: "A colleague who signs elsewhere",
  colleagueText: "Their verdicts come in signed files. Their public key is on this screen of their Holdpoint.",
  name: "Name",
  nameHint: "As approvals show it.",
  roles: "Roles",
  rolesHint: "Such as engineer or land, with commas between. Rules name them.",
  publicKey: "Public key",
  keyHint: "It begins with ed25519:.",
  saveRoles: "Save the roles",
  trust: "Trust this key",
  passphrase: "Passphrase for signing",
  old: "Passphrase until now",
  next: "New passphrase",
  again: "New passphrase once more",
  nextHint: "At least 8 characters; a few words that only you would put together are good. It is kept nowhere: only a public key that comes out of it is.",
  set: "Set the passphrase",
  remove: "Sign by name again",
  differ: "The two are not the same.",
  short: "A passphrase has at least 8 characters.",
  needName: "Enter a name.",
  needOne: "Give a role or a passphrase: without either, anybody decides by name as it is.",
  optional: "Passphrase for signing (optional)",
  once: "Passphrase once more",
};

/** What the section is called. */
export const peopleTitle = "People";

const again = () => queryClient.invalidateQueries({ queryKey: ["api", "people"] });

/** Who may decide, with which roles, and how they sign. */
export function People() {
  const { data, error, isPending, refetch } = useRead<{ people: Person[] }>("/api/people");
  const [open, setOpen] = useState("");
  const list = data?.people ?? [];
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{words.about}</p>
      {error && <ErrorNote error={error} title={words.failed} retry={() => void refetch()} />}
      {isPending && <Loading />}
      {data && list.length === 0 && <Empty icon={KeyRound} title={words.nobody}>{words.nobodyText}</Empty>}
      {list.length > 0 && (
        <ul aria-label={words.list} className="space-y-2">
          {list.map((person) => (
            <li key={person.name} className="space-y-3 rounded-md border bg-surface p-3">
              <div className="flex flex-wrap items-start justify-between gap-2">
                <div className="min-w-0 space-y-1">
                  <p className="font-medium wrap-anywhere">{visibleText(person.name)}</p>
                  <p className="flex flex-wrap gap-1">{person.roles.length > 0 ? person.roles.map((role) => <Chip key={role}>{visibleText(role)}</Chip>) : <span className="text-sm text-ink-2">{words.noRoles}</span>}</p>
                  <p className="text-sm text-ink-2">{person.signs ? words.signs : words.byName}{person.key && <>, {words.key} <ShortId value={person.key} length={14} what={words.key} /></>}</p>
                </div>
                <Button small aria-expanded={open === person.name} aria-label={`${open === person.name ? words.close : words.change} ${person.name}`} onClick={() => setOpen(open === person.name ? "" : person.name)}>{open === person.name ? words.close : words.change}</Button>
              </div>
              {open === person.name && (
                <div className="grid gap-4 border-t pt-3 lg:grid-cols-2">
                  <Roles person={person} />
                  <Passphrase person={person} />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      <section aria-label={words.add} className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="flex items-center gap-2 font-semibold"><UserPlus aria-hidden className="size-4" />{words.add}</h3>
        <Add />
      </section>
      <section aria-label={words.colleague} className="space-y-3 rounded-md border bg-surface p-pad">
        <h3 className="font-semibold">{words.colleague}</h3>
        <p className="text-sm text-ink-2">{words.colleagueText}</p>
        <Colleague />
      </section>
    </div>
  );
}

/** A call of a form: what went wrong stays beside it. */
function useSave() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const save = async (name: string, body: Record<string, string>, said: string) => {
    setBusy(true);
    setFailure(null);
    try {
      await transport().call(name, body);
      say(said);
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    } finally {
      setBusy(false);
      void again();
    }
  };
  return { busy, failure, save };
}

function Add() {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState("");
  const [next, setNext] = useState("");
  const [twice, setTwice] = useState("");
  const [problem, setProblem] = useState("");
  const { busy, failure, save } = useSave();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = !name.trim() ? words.needName : !roles.trim() && !next ? words.needOne : next && [...next].length < 8 ? words.short : next !== twice ? words.differ : "";
    setProblem(wrong);
    if (wrong) return;
    const done = (!roles.trim() || (await save("set_roles", { name: name.trim(), roles }, "Saved."))) && (!next || (await save("set_passphrase", { name: name.trim(), old: "", passphrase: next }, `${name.trim()} signs with the new passphrase.`)));
    setNext("");
    setTwice("");
    if (!done) return;
    setName("");
    setRoles("");
  };
  return (
    <form className="grid gap-3 sm:grid-cols-2" onSubmit={(event) => void submit(event)}>
      <Field label={words.name} hint={words.nameHint} value={name} problem={problem === words.needName ? problem : undefined} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      <Field label={words.roles} hint={words.rolesHint} value={roles} problem={problem === words.needOne ? problem : undefined} autoComplete="off" onChange={(event) => setRoles(event.target.value)} />
      <Field label={words.optional} hint={words.nextHint} type="password" autoComplete="new-password" value={next} problem={problem === words.short ? problem : undefined} onChange={(event) => setNext(event.target.value)} />
      <Field label={words.once} type="password" autoComplete="new-password" value={twice} problem={problem === words.differ ? problem : undefined} onChange={(event) => setTwice(event.target.value)} />
      {failure !== null && <div className="sm:col-span-2"><ErrorNote error={failure} /></div>}
      <div><Button type="submit" look="primary" disabled={busy}>{words.add}</Button></div>
    </form>
  );
}

function Roles({ person }: { person: Person }) {
  const [roles, setRoles] = useState(person.roles.join(", "));
  const { busy, failure, save } = useSave();
  return (
    <form className="space-y-3" onSubmit={(event) => { event.preventDefault(); void save("set_roles", { name: person.name, roles }, "Saved."); }}>
      <Field label={words.roles} hint={words.rolesHint} value={roles} autoComplete="off" onChange={(event) => setRoles(event.target.value)} />
      {failure !== null && <ErrorNote error={failure} />}
      <Button type="submit" disabled={busy}>{words.saveRoles}</Button>
    </form>
  );
}

function Passphrase({ person }: { person: Person }) {
  const [old, setOld] = useState("");
  const [next, setNext] = useState("");
  const [twice, setTwice] = useState("");
  const [problem, setProblem] = useState("");
  const { busy, failure, save } = useSave();
  const put = async (passphrase: string, said: string) => {
    await save("set_passphrase", { name: person.name, old, passphrase }, said);
    // Neither stays on the screen, whatever came of it.
    setOld("");
    setNext("");
    setTwice("");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = [...next].length < 8 ? words.short : next !== twice ? words.differ : "";
    setProblem(wrong);
    if (!wrong) void put(next, `${person.name} signs with the new passphrase.`);
  };
  return (
    <form className="space-y-3" onSubmit={submit} aria-label={words.passphrase}>
      {person.signs && <Field label={words.old} type="password" autoComplete="off" value={old} onChange={(event) => setOld(event.target.value)} />}
      <Field label={words.next} hint={words.nextHint} type="password" autoComplete="new-password" value={next} problem={problem === words.short ? problem : undefined} onChange={(event) => setNext(event.target.value)} />
      <Field label={words.again} type="password" autoComplete="new-password" value={twice} problem={problem === words.differ ? problem : undefined} onChange={(event) => setTwice(event.target.value)} />
      {failure !== null && <ErrorNote error={failure} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" icon={KeyRound} disabled={busy}>{words.set}</Button>
        {person.signs && <Button look="danger" disabled={busy} onClick={() => void put("", `${person.name} signs by name.`)}>{words.remove}</Button>}
      </div>
    </form>
  );
}

function Colleague() {
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState("");
  const { busy, failure, save } = useSave();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(name.trim() ? "" : words.needName);
    if (name.trim() && (await save("trust_key", { name: name.trim(), key: key.trim() }, "Their signature is known now."))) {
      setName("");
      setKey("");
    }
  };
  return (
    <form className="space-y-3" onSubmit={(event) => void submit(event)}>
      <Field label={words.name} value={name} problem={problem} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      <TextField label={words.publicKey} hint={words.keyHint} mono rows={2} spellCheck={false} value={key} onChange={(event) => setKey(event.target.value)} />
      {failure !== null && <ErrorNote error={failure} />}
      <Button type="submit" disabled={busy}>{words.trust}</Button>
    </form>
  );
}
