import { DomUtils, parseDocument } from 'htmlparser2';

/** Any node of a parsed answer. */
type Xml = Parameters<typeof DomUtils.textContent>[0];

/** Parses an answer of S3. A broken one gives what could be read. */
export function parseXml(xml: string): Xml {
  return parseDocument(xml, { xmlMode: true }).childNodes;
}

/** Elements with a name, at any depth. */
export function elementsOf(xml: Xml, name: string): Xml[] {
  return DomUtils.getElementsByTagName(name, xml);
}

/** The text of the first element with a name, at any depth; undefined when there is none. */
export function textOf(xml: Xml, name: string): string | undefined {
  const [first] = DomUtils.getElementsByTagName(name, xml, true, 1);
  return first && DomUtils.textContent(first);
}
