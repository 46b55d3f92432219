import { memo, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { t } from "@/text/language";
import { transport } from "@/transport";
import { blocks } from "./blocks";
import { safeHref } from "./link";
import { prose } from "./visible";

const passage = /^#\/library\/[0-9a-f]{16}\/[1-9][0-9]{0,9}$/;

/** A link that leaves the app; anything but https and mailto is shown as text with its address. */
function SafeLink({ href, children }: { href: string | undefined; children: React.ReactNode }) {
  // A citation opens its passage in the reader: nothing else within the app is linked to.
  if (href && passage.test(href)) return <a href={href} className="text-accent underline underline-offset-2">{children}</a>;
  const safe = safeHref(href);
  if (!safe) {
    return (
      <span>
        {children}
        {href && !href.startsWith("#") && <span className="text-ink-3"> {t("text.linkNotOpened", { href: href.slice(0, 80) })}</span>}
      </span>
    );
  }
  const open = transport().openExternal;
  return (
    <a
      href={safe}
      title={safe}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
      onClick={open ? (event) => { event.preventDefault(); open(safe); } : undefined}
    >
      {children}
    </a>
  );
}

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  // An image would tell its server that it was read.
  img: ({ alt }) => <span className="text-ink-3">{t("text.imageNotLoaded")}{alt ? `: ${prose(alt)}` : ""}]</span>,
  p: ({ children }) => <p className="my-2 wrap-anywhere">{children}</p>,
  h1: ({ children }) => <h3 className="mt-4 mb-1 text-lg font-semibold">{children}</h3>,
  h2: ({ children }) => <h3 className="mt-4 mb-1 text-lg font-semibold">{children}</h3>,
  h3: ({ children }) => <h4 className="mt-3 mb-1 font-semibold">{children}</h4>,
  h4: ({ children }) => <h5 className="mt-3 mb-1 font-semibold">{children}</h5>,
  h5: ({ children }) => <h6 className="mt-3 mb-1 font-semibold">{children}</h6>,
  ul: ({ children }) => <ul className="my-2 list-disc space-y-1 pl-5 wrap-anywhere">{children}</ul>,
  ol: ({ children, start }) => <ol start={start} className="my-2 list-decimal space-y-1 pl-6 wrap-anywhere">{children}</ol>,
  blockquote: ({ children }) => <blockquote className="my-2 border-l-2 border-line-strong pl-3 text-ink-2">{children}</blockquote>,
  pre: ({ children }) => <pre tabIndex={0} className="my-2 overflow-x-auto rounded-md border bg-sunken p-3 text-sm">{children}</pre>,
  code: ({ children }) => <code className="rounded-sm bg-sunken px-1 text-[0.9em]">{children}</code>,
  table: ({ children }) => (
    <div tabIndex={0} role="region" aria-label={t("text.table")} className="my-2 overflow-x-auto">
      <table className="border-collapse text-sm">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="border px-2 py-1 text-left font-semibold">{children}</th>,
  td: ({ children }) => <td className="border px-2 py-1 align-top">{children}</td>,
  hr: () => <hr className="my-3" />,
};

/** As much of a Markdown tree as has words in it. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

/** Writes what turns, hides or imitates other text as escapes, in all that is shown. */
function shown(node: Node): void {
  if (typeof node.value === "string") node.value = prose(node.value);
  for (const child of node.children ?? []) shown(child);
}

const plugins = [remarkGfm, () => shown];
const keep = (url: string) => url;

const Block = memo(function Block({ text }: { text: string }) {
  // Raw HTML stays text; addresses are judged by SafeLink alone.
  return <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={keep}>{text}</ReactMarkdown>;
});

/** Hostile Markdown, shown safely: no HTML, no images, only https and mailto links. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const parts = useMemo(() => blocks(text), [text]);
  return (
    <div className="[&>:first-child]:mt-0 [&>:last-child]:mb-0">
      {parts.map((part, index) => (
        <Block key={index} text={part} />
      ))}
    </div>
  );
});
