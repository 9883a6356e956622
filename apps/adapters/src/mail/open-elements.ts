/** What an element does to the text in it. */
export interface ElementMark {
  hidden?: boolean;
  kind?: 'quoted' | 'signature';
  /** Of a link. */
  href?: string | undefined;
  /** Where the link's words begin. */
  from?: number;
}

interface OpenElement {
  name: string;
  mark: ElementMark;
}

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** Which open elements a new one ends, where their end tags may be left out. */
const ENDED_BY: Record<string, readonly string[]> = {
  li: ['li'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tr: ['td', 'th', 'tr'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
};

/**
 * The elements that are open at a place of an HTML text. Each is pushed and popped once, and an end tag without its
 * begin tag costs nothing, so any text is read in linear time.
 */
export class OpenElements {
  private readonly open: OpenElement[] = [];
  private readonly counts = new Map<string, number>();
  private hiddenCount = 0;
  private readonly kinds = { quoted: 0, signature: 0 };

  constructor(private readonly onClose: (mark: ElementMark) => void) {}

  get isHidden(): boolean {
    return this.hiddenCount > 0;
  }

  get kind(): 'own' | 'quoted' | 'signature' {
    if (this.kinds.quoted > 0) return 'quoted';
    return this.kinds.signature > 0 ? 'signature' : 'own';
  }

  enter(name: string, isBlock: boolean, mark: ElementMark): void {
    if (VOID.has(name)) return;
    const last = (): string => this.open.at(-1)?.name ?? '';
    if (isBlock && last() === 'p') this.pop();
    for (const ended of ENDED_BY[name] ?? []) if (last() === ended) this.pop();
    this.open.push({ name, mark });
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (mark.hidden) this.hiddenCount++;
    if (mark.kind) this.kinds[mark.kind]++;
  }

  leave(name: string): void {
    if (!this.counts.get(name)) return;
    while (this.pop() !== name);
  }

  private pop(): string {
    const last = this.open.pop();
    if (!last) return '';
    const { name, mark } = last;
    this.counts.set(name, (this.counts.get(name) ?? 1) - 1);
    this.onClose(mark);
    if (mark.hidden) this.hiddenCount--;
    if (mark.kind) this.kinds[mark.kind]--;
    return name;
  }
}
