import { named } from '../drawn/drawn-text.js';

/** Documentation within the console: the drawer beside a field, and whole pages. */
export const docsTexts = {
  title: 'Documentation',
  description: 'Guides, explanations and reference of this release',
  wholePage: 'Whole page',
  close: 'Close the documentation',
  content: 'The section',
  loading: 'Loading the documentation',
  example: 'Example',
  table: 'Table',
  sections: 'On this page',
  all: 'All documentation',
  none: {
    title: 'No such page',
    text: (page: string) => `The documentation of this release has no page ${named(page)}.`,
  },
};
