import { crc32, deflateRawSync } from 'node:zlib';

/** A PDF with lines of Latin text on each page; a page may be repeated without making the file larger. */
export function pdfOf(pages: string[][], repeat = 1): Buffer {
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  const kids = Array.from({ length: repeat }, () => pages.map((_page, index) => `${4 + index * 2} 0 R`).join(' '));
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length * repeat} >>`,
    font,
    ...pages.flatMap((lines, index) => {
      const content = `BT /F1 12 Tf 72 720 Td ${lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ')} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}${table}${trailer}`, 'latin1');
}

/** An archive of texts by path, as the ZIP format has it: each part, then a directory of them, then where that is. */
export function archiveOf(parts: Record<string, string>): Buffer {
  let at = 0;
  const packed = Object.entries(parts).map(([path, text]) => {
    const data = deflateRawSync(text);
    const name = Buffer.from(path);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(text), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(Buffer.byteLength(text), 18);
    facts.writeUInt16LE(name.length, 22);
    const part = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    at += part.length;
    return { part, entry: Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, place, name]) };
  });
  const directory = Buffer.concat(packed.map(({ entry }) => entry));
  const end = Buffer.alloc(18);
  end.writeUInt16LE(packed.length, 4);
  end.writeUInt16LE(packed.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...packed.map(({ part }) => part), directory, Buffer.from('PK\x05\x06'), end]);
}

export const docxOf = (body: string): Buffer =>
  archiveOf({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
  });

const relations = (targets: string[]): string =>
  `<Relationships>${targets.map((target, index) => `<Relationship Id="rId${index + 1}" Target="${target}"/>`).join('')}</Relationships>`;

/** @param slides the texts of each, in the order in which their files are numbered @param order of showing them, from 1 */
export const pptxOf = (slides: string[][], order: number[]): Buffer =>
  archiveOf({
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${order.map((slide) => `<p:sldId id="${slide}" r:id="rId${slide}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(slides.map((_slide, index) => `slides/slide${index + 1}.xml`)),
    ...Object.fromEntries(
      slides.map((texts, index) => [
        `ppt/slides/slide${index + 1}.xml`,
        `<p:sld>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:sld>`,
      ]),
    ),
  });

/** One sheet, whose rows are given as the XML of their cells. */
export const xlsxOf = (name: string, rows: string[], shared: string[]): Buffer =>
  archiveOf({
    'xl/workbook.xml': `<workbook><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheets/sheet1.xml']),
    'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.map((row) => `<row>${row}</row>`).join('')}</sheetData></worksheet>`,
  });
