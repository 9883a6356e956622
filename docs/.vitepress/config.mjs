import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../apps/console/build/doc-pages.ts';

const docs = resolve(fileURLToPath(new URL('..', import.meta.url)));
const root = dirname(docs);
/** Where sources are shown, without a slash at its end (`https://github.com/OWNER/REPOSITORY/blob/main`); none: paths, no links. */
const sourceUrl = process.env.DOCS_SOURCE_URL ?? '';

/** A page's heading, as text. @param {string} path */
const titleOf = (path) => (/^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? basename(path)).replaceAll('`', '');

/** The ids of a page's headings. @param {string} path */
function anchorsOf(path) {
  const text = readFileSync(path, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const anchors = new Set();
  for (const [, title] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = anchorOf(title.replaceAll('`', ''));
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The pages of a folder, its README first. @param {string} folder */
function pagesOf(folder) {
  return readdirSync(join(docs, folder))
    .filter((file) => file.endsWith('.md'))
    .sort((a, b) => Number(b === 'README.md') - Number(a === 'README.md') || a.localeCompare(b))
    .map((file) => ({
      text: titleOf(join(docs, folder, file)),
      link: `/${join(folder, file)
        .replace(/README\.md$/, '')
        .replace(/\.md$/, '')}`,
    }));
}

/** Pages in the root of docs/ that tell what there is; the others there explain. */
const referenced = ['cli', 'conformance', 'glossary'];
const ofRoot = pagesOf('.').filter(({ link }) => link !== '/');
const isReference = (/** @type {{link: string}} */ { link }) => referenced.includes(link.slice(1));

const sidebar = [
  { text: 'Guides', items: pagesOf('guides') },
  { text: 'Reference', items: [...pagesOf('reference'), ...ofRoot.filter(isReference)] },
  { text: 'Explanation', items: ofRoot.filter((page) => !isReference(page)) },
  { text: 'Adapters', collapsed: true, items: pagesOf('adapters') },
  { text: 'Runbooks', collapsed: true, items: pagesOf('runbooks') },
  { text: 'Decisions', collapsed: true, items: pagesOf('decisions') },
];

/**
 * Links as they are written, to files, hold in a checkout. Here a folder is its README's page, and what is no page of docs/ (sources,
 * manifests) is a link to `DOCS_SOURCE_URL`, or its path where none is set. What does not exist fails the build, and so does an anchor.
 * @param {import('vitepress').MarkdownRenderer} md
 */
function resolveLinks(md) {
  // Before headings get links to themselves.
  md.core.ruler.before('anchor', 'links-to-files', (state) => {
    const page = state.env.realPath ?? state.env.path;
    for (const { children } of state.tokens) {
      const closes = [];
      for (const token of children ?? []) {
        // Of Vue: two braces in code mean something to it, and so does `<time>` in a text. Pages are Markdown alone.
        if (token.type === 'code_inline') token.attrSet('v-pre', '');
        if (token.type === 'html_inline' && !token.content.startsWith('<!--')) token.type = 'text';
        if (token.type === 'link_close' && closes.pop()) {
          Object.assign(token, { type: 'html_inline', content: '</span>' });
        }
        if (token.type !== 'link_open') continue;
        const href = token.attrGet('href') ?? '';
        const shown = /^[a-z]+:/.test(href) ? href : target(decodeURI(href), page);
        closes.push(typeof shown !== 'string');
        if (typeof shown === 'string') token.attrSet('href', shown);
        else Object.assign(token, { type: 'html_inline', content: `<span class="source" title="${shown.path}">` });
      }
    }
  });
}

/** @param {string} href @param {string} page @returns {string | {path: string}} an address, or a file that no page shows */
function target(href, page) {
  const [path = '', anchor] = href.split('#');
  let file = path === '' ? page : resolve(dirname(page), path);
  if (!existsSync(file)) throw new Error(`${relative(root, page)}: ${href} does not exist`);
  const readme = statSync(file).isDirectory() ? join(file, 'README.md') : undefined;
  if (readme && existsSync(readme)) file = readme;
  const isPage = file.startsWith(docs) && file.endsWith('.md');
  if (anchor && file.endsWith('.md') && !anchorsOf(file).has(anchor)) {
    throw new Error(`${relative(root, page)}: ${href} names no heading`);
  }
  if (isPage) {
    const to = `/${relative(docs, file).replace(/README\.md$/, 'index.md')}`;
    return path === '' ? `#${anchor}` : anchor ? `${to}#${anchor}` : to;
  }
  const shown = relative(root, file);
  return sourceUrl ? `${sourceUrl}/${shown}${anchor ? `#${anchor}` : ''}` : { path: shown };
}

export default defineConfig({
  title: 'Gatehouse',
  description: 'Connects AI agents to the systems around them',
  outDir: join(root, 'dist/docs'),
  cacheDir: join(root, '.cache/vitepress'),
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  head: [['style', {}, '.source { border-bottom: 1px dotted }']],
  markdown: { anchor: { slugify: anchorOf }, attrs: { disable: true }, config: resolveLinks },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Guides', link: '/guides/' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Decisions', link: '/decisions/' },
    ],
  },
});
