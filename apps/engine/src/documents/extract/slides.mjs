import { Refused } from './refused.mjs';
import { readXml, relationsIn } from './xml.mjs';

/**
 * Slides in the order in which they are shown, each under its number.
 * @param {Record<string, string>} parts @param {import('./refused.mjs').Written} written @param {number} maxSlides
 */
export function slideTexts(parts, written, maxSlides) {
  const targets = relationsIn(parts['ppt/_rels/presentation.xml.rels']);
  /** @type {string[]} */
  const slides = [];
  readXml(parts['ppt/presentation.xml'] ?? '', {
    open: (name, { 'r:id': id = '' }) => {
      const target = name === 'p:sldId' ? targets.get(id) : undefined;
      if (target !== undefined) slides.push(`ppt/${target.replace(/^\/ppt\//, '')}`);
    },
  });
  if (slides.length > maxSlides) throw new Refused('too_large');
  for (const [index, path] of slides.entries()) {
    written.add(`\n\n## Slide ${index + 1}\n\n`);
    slideText(parts[path] ?? '', written);
  }
}

function slideText(/** @type {string} */ xml, /** @type {import('./refused.mjs').Written} */ written) {
  let inText = false;
  readXml(xml, {
    open: (name) => {
      if (name === 'a:t') inText = true;
      else if (name === 'a:br') written.add('\n');
      else if (name === 'a:tc') written.add(' ');
    },
    text: (text) => {
      if (inText) written.add(text);
    },
    close: (name) => {
      if (name === 'a:t') inText = false;
      else if (name === 'a:p') written.add('\n');
    },
  });
}
