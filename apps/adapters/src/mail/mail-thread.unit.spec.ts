import { growth } from '#libs/testing';
import { REPLY_CONTEXT_MAX_BYTES } from '#libs/adapter-sdk';
import { completesDelivery, deliveryMark } from './delivery-header.js';
import { htmlLines } from './html-lines.js';
import { textOfLines } from './mail-line.js';
import { addressIn, isMailAddress, nameIn } from './mail-address.js';
import { boundedReferences, messageIdsIn } from './message-ids.js';
import { readReplyContext, replyContextOf } from './reply-context.js';

const ids = Array.from({ length: 40 }, (_, index) => `<${'x'.repeat(200)}${index}@example.org>`);

describe('a thread', () => {
  it('keeps its first mail and its latest ones, however long it gets', () => {
    const kept = boundedReferences(ids);
    expect(kept[0]).toBe(ids[0]);
    expect(kept.at(-1)).toBe(ids.at(-1));
    expect(kept).toHaveLength(12);
    expect(boundedReferences(['<a@x>', '<a@x>', '<b@x>'])).toEqual(['<a@x>', '<b@x>']);
  });

  it('fits into what the platform stores, and comes back unchanged', () => {
    const context = replyContextOf({ messageId: '<m@x>', references: ids, subject: 'é'.repeat(900) });
    expect(Buffer.byteLength(JSON.stringify(context))).toBeLessThanOrEqual(REPLY_CONTEXT_MAX_BYTES);
    expect(readReplyContext(JSON.parse(JSON.stringify(context)))).toEqual(context);
  });

  it('takes nothing from a context that is not a Message-ID or has more than one line', () => {
    expect(readReplyContext({ message_id: 'x\r\nBcc: a@b.c', references: ['<a\n@x>', 7], subject: 'a\nb' })).toEqual(
      {},
    );
    expect(readReplyContext('text')).toEqual({});
    expect(messageIdsIn('<ok@x> <no space@x> <> <é@x>')).toEqual(['<ok@x>']);
  });
});

describe('the mark of a delivery', () => {
  it('names each part, and marks the last one as the end', () => {
    const marks = [0, 1, 2].map((index) => deliveryMark('k', { index, count: 3 }));
    expect(marks).toEqual(['k-1/3', 'k-2/3', 'k-3/3']);
    expect(marks.map((mark) => completesDelivery(mark, 'k'))).toEqual([false, false, true]);
    expect(completesDelivery(deliveryMark('k', { index: 0, count: 1 }), 'k')).toBe(true);
    expect(completesDelivery('k2', 'k')).toBe(false);
    expect(completesDelivery(undefined, 'k')).toBe(false);
  });
});

describe('addresses', () => {
  it.each(['a@b', 'first.last+tag@sub.example.org', 'ü@example.org'])('accepts %s', (text) => {
    expect(isMailAddress(text)).toBe(true);
  });
  it.each(['', 'a', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b\n', 'a@b,c@d', '<a@b>', '"a"@b', `${'a'.repeat(254)}@b`])(
    'refuses "%s"',
    (text) => {
      expect(isMailAddress(text)).toBe(false);
    },
  );

  it('are found in a header with their names', () => {
    expect([addressIn('"Doe, Jane" <Jane@Example.org>'), nameIn('"Doe, Jane" <Jane@Example.org>')]).toEqual([
      'jane@example.org',
      'Doe, Jane',
    ]);
    expect([addressIn('jane@example.org'), nameIn('jane@example.org')]).toEqual(['jane@example.org', undefined]);
    expect(addressIn('undisclosed-recipients:;')).toBeUndefined();
  });
});

describe('the text of HTML', () => {
  it('has its blocks as lines, without what is hidden', () => {
    const html =
      '<html><head><title>no</title><style>p{}</style></head><body><h1>Hi</h1><p>one &lt;two&gt;<br>three</p><ul><li>a</li><li>b</li></ul><script>no()</script></body></html>';
    expect(textOfLines(htmlLines(html))).toBe('Hi\n\none <two>\nthree\n\n- a\n\n- b');
  });

  it.each([
    '<div>',
    '<p>',
    '<b>',
    '</div>',
    '<!--',
    '<a b="',
    '&amp;',
    '<script>',
    '< ',
    '<a href="x"><b>',
    '<td><p>',
    '<p style="display:none">',
  ])('is found in linear time among any number of %s', (piece) => {
    expect(growth(10_000, (times) => `words ${piece.repeat(times)}`, htmlLines)).toBeLessThan(1.5);
  });
});
