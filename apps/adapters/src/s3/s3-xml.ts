const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of the first element of a name, anywhere in the document; undefined when there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = start === -1 ? -1 : xml.indexOf(`</${name}>`, start);
  return end === -1 ? undefined : decodeEntities(xml.slice(start + name.length + 2, end));
}

/** The inside of every element of a name that holds no element of the same name. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (;;) {
    const start = xml.indexOf(`<${name}>`, from);
    const end = start === -1 ? -1 : xml.indexOf(`</${name}>`, start);
    if (end === -1) return found;
    found.push(xml.slice(start + name.length + 2, end));
    from = end + name.length + 3;
  }
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10_ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
