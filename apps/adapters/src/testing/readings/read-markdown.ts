import MarkdownIt from 'markdown-it';
import { readHtml } from './read-html.js';
import type { Reading } from './reading.js';

const GITHUB_TAGS =
  'h[1-6]|br|b|i|strong|em|a|pre|code|kbd|img|tt|div|ins|del|sup|sub|p|ol|ul|table|thead|tbody|tr|td|th|blockquote|hr|s|strike|summary|details|span|dl|dt|dd|q|samp|var|mark|li';
const GITHUB_TAG = new RegExp(`^</?(?:${GITHUB_TAGS})(?![\\w-])`, 'i');

const github = new MarkdownIt({ html: true, linkify: true, breaks: true });
const linear = new MarkdownIt({ linkify: true, breaks: true });
const teams = new MarkdownIt({ html: true, linkify: true });

/** A comment of GitHub: CommonMark with tables, strikes and bare links; of other tags only the content stays. */
export function readGithub(markdown: string): Reading {
  const html = github.render(markdown);
  return readHtml(html.replaceAll(/<\/?[a-z][^<>]*>/gi, (tag) => (GITHUB_TAG.test(tag) ? tag : '')));
}

/** A comment of Linear: CommonMark with tables, strikes and bare links; a tag is text. */
export function readLinear(markdown: string): Reading {
  return readHtml(linear.render(markdown));
}

/** A message of Teams: CommonMark, with tags as HTML. */
export function readTeams(markdown: string): Reading {
  return readHtml(teams.render(markdown));
}
