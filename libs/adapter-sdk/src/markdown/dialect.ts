/** What a dialect may be unable to show; such kinds in a Markdown text are reported as `lossy`. */
export type MarkdownKind =
  | 'heading'
  | 'strong'
  | 'emphasis'
  | 'strikethrough'
  | 'code'
  | 'codeBlock'
  | 'link'
  | 'image'
  | 'quote'
  | 'list'
  | 'table'
  | 'rule';

/** The characters directly beside a styled text; empty where a line, a space or another mark is. */
export interface Beside {
  before: string;
  after: string;
}

export interface MarkdownLink {
  /** Already rendered and escaped. */
  content: string;
  /** As written, not escaped. A link's is always http, https, mailto, tel or relative; other links arrive as text. */
  url: string;
  /** The text is the address itself. */
  bare: boolean;
}

export interface MarkdownList {
  items: { content: string; checked: boolean | undefined }[];
  ordered: boolean;
  /** Number of the first item of an ordered list. */
  start: number;
  /** Blank lines between the items. */
  loose: boolean;
}

export interface MarkdownTable {
  /** Rendered cells, the header row first. */
  rows: string[][];
  /** The same cells as plain text, neither styled nor escaped, for dialects that draw a table as code. */
  textRows: string[][];
}

/**
 * How one provider writes Markdown. `content` is already rendered; `value` is raw and has to be escaped here. A
 * provider's dialect is `{ ...plainDialect, strong: (content) => ... }`: whatever it does not define is shown as plain
 * text.
 */
export interface MarkdownDialect {
  lossy: readonly MarkdownKind[];
  text(value: string): string;
  strong(content: string, beside: Beside): string;
  emphasis(content: string, beside: Beside): string;
  strikethrough(content: string, beside: Beside): string;
  code(value: string, beside: Beside): string;
  link(link: MarkdownLink): string;
  image(image: { alt: string; url: string }): string;
  lineBreak(): string;
  paragraph(content: string): string;
  heading(content: string, depth: number): string;
  codeBlock(value: string, language: string | undefined): string;
  quote(content: string): string;
  list(list: MarkdownList): string;
  table(table: MarkdownTable): string;
  rule(): string;
  /** The separator of two blocks; `blankLines` is how many the author left. */
  between(blankLines: number): string;
}
