import { defineConfig } from 'vite';
import { bundleBudget } from './build/bundle-budget.ts';
import { precompress } from './build/precompress.ts';
import { componentStyles } from './build/component-styles.ts';
import { docPages } from './build/doc-pages.ts';
import { pageFiles } from './build/page-files.ts';
import { preloadPages } from './build/preload-pages.ts';
import { notForHome } from './build/not-for-home.ts';
import { keySession } from './dev/key-session.ts';
import { systemProxy } from './dev/system-proxy.ts';

/** Overlays and form fields. */
const forms =
  /node_modules\/(react-number-format|react-remove-scroll|react-transition-group|use-sidecar|@mantine\/core\/.*\/(Popover|Combobox|Select|MultiSelect|TagsInput|PillsInput|NumberInput|PasswordInput|Menu|Modal|ModalBase|Drawer|Tooltip|Transition|Portal|FocusTrap|Overlay|Floating|Checkbox|Radio|Switch|Textarea|Fieldset|Pill)\/)|src\/ui\/(assign-list|dialog|etag-conflict|full-popover|full-select|name-field|secret-window)\.tsx/;
/** What positions overlays and scrolls within them. */
const floating =
  /node_modules\/(@floating-ui|@mantine\/core\/.*\/(Table|ScrollArea)\/(?!utils))|src\/ui\/diff-view\.tsx/;
const tables = /node_modules\/@tanstack\/(react-virtual|virtual-core)|src\/ui\/(data-table|table-row)\.tsx/;
/** What a feature says, which its pages share and no others need. */
const featureTexts = /src\/texts\/(?!shell|ui)/;

export default defineConfig({
  root: import.meta.dirname,
  // The portal replaces it with the nonce of each answer.
  html: { cspNonce: '%CSP_NONCE%' },
  plugins: [docPages(), componentStyles(), bundleBudget(), preloadPages(), pageFiles(), precompress(), keySession()],
  // Makes the elements: `jsxImportSource` in tsconfig.json.
  resolve: {
    alias: [{ find: /^#drawn\/jsx-(dev-)?runtime$/, replacement: `${import.meta.dirname}/src/drawn/jsx-runtime.ts` }],
  },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // All supported browsers have `light-dark()`. Its substitute would need to know the scheme, which is chosen on the
    // page.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Our own budget says what is too large.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Each file is a link, a request and a module of the first page, which waits for the last of them. So what
          // every visit needs is one file, what Home shares with other pages is another, and what others share a third.
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            // The first view of many pages needs none of these.
            { name: 'forms', test: forms, minShareCount: 2, priority: 1.5, includeDependenciesRecursively: false },
            {
              name: 'floating',
              test: floating,
              minShareCount: 2,
              priority: 1.5,
              includeDependenciesRecursively: false,
            },
            { name: 'tables', test: tables, minShareCount: 2, priority: 1.5, includeDependenciesRecursively: false },
            {
              name: notForHome('more'),
              debugName: 'more',
              minShareCount: 3,
              priority: 1.2,
              includeDependenciesRecursively: false,
            },
            { name: 'pages', test: (id) => !featureTexts.test(id), minShareCount: 3, priority: 1 },
          ],
        },
      },
      onwarn(warning, warn) {
        // Packages mark what a server must not render; nothing is rendered on a server here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
    license: { fileName: 'licenses.md' },
  },
  server: { proxy: systemProxy },
});
