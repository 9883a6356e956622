import type { fromMarkdown } from 'mdast-util-from-markdown';

/** The parser's own mdast nodes, including GitHub's. */
export type MarkdownRoot = ReturnType<typeof fromMarkdown>;
export type MarkdownBlock = MarkdownRoot['children'][number];
export type MarkdownNode<Type extends MarkdownBlock['type']> = Extract<MarkdownBlock, { type: Type }>;
export type MarkdownPhrase = MarkdownNode<'paragraph'>['children'][number];
