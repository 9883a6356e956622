import { Parser } from 'htmlparser2';

/**
 * Reads XML piece by piece. Entities beyond those of XML are not expanded, and nothing that it names is fetched.
 * @param {string} xml
 * @param {{open?: (name: string, attributes: Record<string, string>) => void, text?: (text: string) => void, close?: (name: string) => void}} on
 */
export function readXml(xml, { open, text, close }) {
  const parser = new Parser(
    {
      ...(open ? { onopentag: open } : {}),
      ...(text ? { ontext: text } : {}),
      ...(close ? { onclosetag: close } : {}),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
}

/**
 * What a part names, by the id under which it names it.
 * @param {string | undefined} rels
 * @returns {Map<string, string>}
 */
export function relationsIn(rels = '') {
  /** @type {Map<string, string>} */
  const targets = new Map();
  readXml(rels, {
    open: (name, { Id: id, Target: target }) => {
      if (name === 'Relationship' && id && target) targets.set(id, target);
    },
  });
  return targets;
}
