import type { HtmlTagDescriptor, Plugin } from 'vite';

/** Has the page itself name what every page needs besides what it begins with: found by the script, it would be asked for later. */
export function preloadPages(): Plugin {
  return {
    name: 'preload-pages',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }): HtmlTagDescriptor[] {
        const pages = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'pages');
        if (pages?.type !== 'chunk') throw new Error('There is no chunk of what pages share.');
        const styles = [...(pages.viteMetadata?.importedCss ?? [])];
        return [
          {
            tag: 'link',
            injectTo: 'head',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${pages.fileName}` },
          },
          ...styles.map((href) => ({
            tag: 'link',
            injectTo: 'head' as const,
            attrs: { rel: 'stylesheet', crossorigin: true, href: `/${href}` },
          })),
        ];
      },
    },
  };
}
