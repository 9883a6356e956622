import { escapeHtml, htmlDialect, type MarkdownDialect, plainDialect } from '#libs/adapter-sdk';

/** What a mail shows of `mailto:`: the address, decoded, without a subject or another header behind it. */
function shownUrl(url: string): string {
  const [, address] = /^mailto:([^?]+)/i.exec(url) ?? [];
  if (address === undefined) return url;
  try {
    return decodeURIComponent(address);
  } catch (error) {
    if (error instanceof URIError) return address;
    throw error;
  }
}

/** The plain text of a mail: a link to a mail address shows the address. */
export const mailTextDialect: MarkdownDialect = {
  ...plainDialect,
  link: (link) => {
    const url = shownUrl(link.url);
    return plainDialect.link({ ...link, url, bare: link.bare || link.content === url });
  },
};

/**
 * The HTML of a mail. Each block takes its direction from its own first letter, since an answer may quote Arabic in
 * English and the reverse; code is from left to right everywhere.
 */
export const mailHtmlDialect: MarkdownDialect = {
  ...htmlDialect,
  code: (value) => `<code dir="ltr">${escapeHtml(value)}</code>`,
  link: (link) => htmlDialect.link(link.content === '' ? { ...link, content: escapeHtml(shownUrl(link.url)) } : link),
  paragraph: (content) => `<p dir="auto">${content}</p>`,
  heading: (content, depth) => `<h${depth} dir="auto">${content}</h${depth}>`,
  codeBlock: (value) => `<pre dir="ltr"><code>${escapeHtml(value)}</code></pre>`,
  quote: (content) => directed(htmlDialect.quote(content)),
  list: (list) => directed(htmlDialect.list(list)),
  table: (table) => directed(htmlDialect.table(table)),
};

function directed(html: string): string {
  return html.replaceAll(/<(blockquote|[ou]l|li|table|t[hd])(?=[ >])(?! dir=)/g, '<$1 dir="auto"');
}
