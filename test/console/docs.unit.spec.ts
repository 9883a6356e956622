import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docPage } from '../../apps/console/build/doc-pages.js';
import { plainText, sectionOf } from '../../apps/console/src/ui/docs/doc-page.js';
import { topics } from '../../apps/console/src/ui/docs/topics.js';

const root = join(import.meta.dirname, '../..');
const read = (page: string) => docPage(join(root, `docs/${page}.md`));

describe('documentation in the console', () => {
  it.each(Object.entries(topics))('has a heading and words about %s', (_topic, { page, anchor }) => {
    const [heading, ...rest] = sectionOf(read(page), anchor);
    expect(heading).toMatchObject({ is: 'heading', anchor });
    expect(plainText(rest).length).toBeGreaterThan(100);
  });

  it('explains no topic that no field names', () => {
    const source = join(root, 'apps/console/src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
    const code = files.map((name) => readFileSync(join(source, name), 'utf8')).join('\n');
    const named = new Set(Array.from(code.matchAll(/<About(?:Field)? topic="(\w+)"/g), ([, topic]) => topic));
    expect([...named].sort()).toEqual(Object.keys(topics).sort());
  });

  it('reads every page but the decisions, with links only to pages and headings that are there', () => {
    const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.startsWith('decisions/'))
      .map((name) => name.replace(/\.md$/, ''));
    const contents = new Map(pages.map((page) => [page, read(page)]));
    const wrong = [...contents.values()].flatMap(linksOf).filter(({ page, anchor }) => {
      const content = contents.get(page);
      return !content || (anchor !== undefined && sectionOf(content, anchor).length === 0);
    });
    expect(wrong).toEqual([]);
    expect(pages).toContain('guides/receive-a-webhook');
  });

  it('reads HTML as text, leaves comments out, and keeps the words of a link to a source', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
    try {
      mkdirSync(join(folder, 'docs'));
      const file = join(folder, 'docs/page.md');
      const html = '<img src=x onerror="alert(1)">';
      writeFileSync(file, `# Page\n\n<!-- made -->\n\n${html}\n\nSee [the code](../main.ts) <b>now</b>.\n`);
      expect(docPage(file)).toEqual([
        { is: 'heading', level: 1, anchor: 'page', of: ['Page'] },
        html,
        { is: 'paragraph', of: ['See ', 'the code', ' ', '<b>', 'now', '</b>', '.'] },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

interface To {
  page: string;
  anchor?: string;
}

function linksOf(node: unknown): To[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(linksOf);
  const { is, to } = node as { is?: string; to?: object };
  const own = is === 'link' && to && 'page' in to ? [to as To] : [];
  return [...own, ...Object.values(node).flatMap(linksOf)];
}
