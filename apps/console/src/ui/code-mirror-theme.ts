import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

/** Colours that hold in light and dark. */
const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'light-dark(#4553c7, #9aa6f3)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#0b6b4b, #6fcf9f)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#9a4a00, #f0b072)' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'light-dark(#7a2e8e, #d9a6e8)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
]);

export const highlighting = syntaxHighlighting(style);
