import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { uiTexts } from './texts/ui.js';

const accent: MantineColorsTuple = [
  '#eef1ff',
  '#dfe3fd',
  '#bdc5f8',
  '#9aa6f3',
  '#7d8bee',
  '#6878e9',
  '#5768df',
  '#4553c7',
  '#3b48ae',
  '#323d96',
];
/** Neutral, slightly cool. */
const gray: MantineColorsTuple = [
  '#f8f9fa',
  '#f1f3f5',
  '#e6e8eb',
  '#d7dbdf',
  '#c1c8cd',
  '#889096',
  '#687076',
  '#566067',
  '#3a4248',
  '#11181c',
];
const dark: MantineColorsTuple = [
  '#e4e6e9',
  '#b4bac1',
  '#9aa1a9',
  '#767d86',
  '#3e444b',
  '#2d3238',
  '#22262b',
  '#181b1f',
  '#131518',
  '#0d0f11',
];
/** From its sixth shade on, white text on it has the contrast that WCAG asks for (4.5). */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#f55a5a',
  '#d93030',
  '#c92a2a',
  '#b02525',
  '#961f1f',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 7,
  autoContrast: true,
  colors: { accent, gray, dark, red },
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '14px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': uiTexts.close } } },
    Paper: { defaultProps: { withBorder: true, p: 'md' } },
    Modal: {
      // Its header is of the dialog, not of the page.
      defaultProps: { closeButtonProps: { 'aria-label': uiTexts.close }, attributes: { header: { role: 'none' } } },
      styles: { title: { fontWeight: 600, fontSize: 'var(--mantine-font-size-lg)' } },
    },
    // Yellow, teal and green text is too faint on its background; the icon and the background keep the colour.
    Alert: {
      defaultProps: { closeButtonLabel: uiTexts.close },
      // Nothing is cut off on narrow screens.
      styles: {
        body: { minWidth: 0, overflowWrap: 'anywhere' },
        label: { color: 'var(--mantine-color-text)', whiteSpace: 'normal' },
      },
    },
    SegmentedControl: { styles: { root: { flexWrap: 'wrap', maxWidth: '100%' } } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
});
