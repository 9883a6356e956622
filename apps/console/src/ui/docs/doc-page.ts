/** A page of `docs/` as the build reads it: blocks in a row, each heading followed by what it is about. */
export type DocPage = readonly DocNode[];

export type DocNode =
  | string
  | DocHeading
  | { is: 'code' | 'block'; text: string }
  | { is: 'link'; to: DocLink; of: DocNode[] }
  /** `from`: the number of the first item; null: not numbered. */
  | { is: 'list'; from: number | null; of: DocNode[] }
  /** The first row names the columns. */
  | { is: 'table'; rows: DocNode[][][] }
  | { is: 'paragraph' | 'strong' | 'emphasis' | 'delete' | 'quote' | 'item'; of: DocNode[] }
  | { is: 'break' | 'rule' };

export interface DocHeading {
  is: 'heading';
  level: number;
  anchor: string;
  of: DocNode[];
}

/** An address elsewhere, or a page of `docs/` and a heading in it. */
export type DocLink = { href: string } | { page: string; anchor?: string };

const isHeading = (node: DocNode): node is DocHeading => typeof node === 'object' && node.is === 'heading';

/** @returns the heading and what is below it, sections within it too; empty: the page has no such heading */
export function sectionOf(page: DocPage, anchor: string): DocNode[] {
  const begin = page.findIndex((node) => isHeading(node) && node.anchor === anchor);
  const heading = page[begin];
  if (heading === undefined || !isHeading(heading)) return [];
  const length = page.slice(begin + 1).findIndex((node) => isHeading(node) && node.level <= heading.level);
  return page.slice(begin, length === -1 ? undefined : begin + 1 + length);
}

/** Its first heading is the title of a page. */
export function titleOf(page: DocPage): { title: DocNode[]; rest: DocNode[] } {
  const [first, ...rest] = page;
  return first !== undefined && isHeading(first) ? { title: first.of, rest } : { title: [], rest: [...page] };
}

/** The sections of a page, by their headings. */
export const sectionsOf = (page: DocPage): DocHeading[] => page.filter(isHeading).filter(({ level }) => level === 2);

/** Words without their marks. */
export const plainText = (nodes: readonly DocNode[]): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      if ('text' in node) return node.text;
      return 'of' in node ? plainText(node.of) : '';
    })
    .join('');
