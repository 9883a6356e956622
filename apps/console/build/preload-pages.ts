import type { IndexHtmlTransformResult, Plugin } from 'vite';

/**
 * Names in the page itself what every page needs beyond the entry; found by the script, it would be requested later.
 * Scripts have a lower priority than styles, because something shows as soon as the styles are there.
 */
export function preloadPages(): Plugin {
  return {
    name: 'preload-pages',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }): IndexHtmlTransformResult {
        const pages = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'pages');
        if (pages?.type !== 'chunk') throw new Error('There is no chunk of what pages share.');
        const styles = [...(pages.viteMetadata?.importedCss ?? [])];
        const entry = '<script type="module" ';
        if (!html.includes(entry)) throw new Error('The page has no script to begin with.');
        return {
          html: html.replace(entry, `${entry}fetchpriority="low" `),
          tags: [
            {
              tag: 'link',
              injectTo: 'head',
              attrs: { rel: 'modulepreload', fetchpriority: 'low', crossorigin: true, href: `/${pages.fileName}` },
            },
            ...styles.map((href) => ({
              tag: 'link',
              injectTo: 'head' as const,
              attrs: { rel: 'stylesheet', crossorigin: true, href: `/${href}` },
            })),
          ],
        };
      },
    },
  };
}
