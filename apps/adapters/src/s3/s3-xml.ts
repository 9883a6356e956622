import { DomUtils, parseDocument } from 'htmlparser2';

/** Anything of a parsed answer. */
type Xml = Parameters<typeof DomUtils.textContent>[0];

/** An answer of S3. A broken one has what could be read of it. */
export function parseXml(xml: string): Xml {
  return parseDocument(xml, { xmlMode: true }).childNodes;
}

/** Elements of a name, anywhere below. */
export function elementsOf(xml: Xml, name: string): Xml[] {
  return DomUtils.getElementsByTagName(name, xml);
}

/** The text of the first element of a name, anywhere below; undefined when there is none. */
export function textOf(xml: Xml, name: string): string | undefined {
  const [first] = DomUtils.getElementsByTagName(name, xml, true, 1);
  return first && DomUtils.textContent(first);
}
