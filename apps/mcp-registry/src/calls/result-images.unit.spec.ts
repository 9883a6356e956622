import type { CallToolResult } from '@modelcontextprotocol/client';
import { imagesOf } from './result-images.js';

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(92)]);
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(96)]);
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(94)]);
const webp = Buffer.concat([Buffer.from('RIFF....WEBPVP8 '), Buffer.alloc(84)]);

type Block = CallToolResult['content'][number];
const image = (bytes: Buffer, mimeType = 'image/png'): Block => ({
  type: 'image',
  mimeType,
  data: bytes.toString('base64'),
});
const blob = (bytes: Buffer, mimeType?: string): Block => ({
  type: 'resource',
  resource: { uri: 'file:///a', blob: bytes.toString('base64'), ...(mimeType ? { mimeType } : {}) },
});
const typesIn = (content: Block[], maxBytes = 1_000): string[] =>
  imagesOf({ content }, maxBytes).map(({ media_type }) => media_type);

describe('the images of a result', () => {
  it('are those that models take, by what they are and not by what they are called', () => {
    const all = [image(png), image(jpeg, 'image/png'), blob(gif), blob(webp, 'text/plain')];
    expect(typesIn(all)).toEqual(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
    const none = [
      image(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'),
      image(Buffer.from('BM and more'), 'image/bmp'),
      image(Buffer.from('no image at all')),
      image(Buffer.alloc(0)),
      { type: 'image', mimeType: 'image/png', data: '%%% no base64 %%%' } as Block,
      blob(Buffer.from('%PDF-1.7'), 'application/pdf'),
      { type: 'audio', mimeType: 'audio/wav', data: png.toString('base64') } as Block,
      { type: 'text', text: png.toString('base64') } as Block,
      { type: 'resource', resource: { uri: 'file:///a', text: 'text' } } as Block,
      { type: 'resource_link', uri: 'file:///a', name: 'a' } as Block,
    ];
    expect(typesIn(none)).toEqual([]);
  });

  it('are as many as fit together, in order, and their base64 is written as every endpoint reads it', () => {
    expect(typesIn([image(png), image(jpeg), image(gif)], 200)).toEqual(['image/png', 'image/jpeg']);
    expect(typesIn([image(Buffer.concat([png, Buffer.alloc(500)])), image(gif)], 100)).toEqual(['image/gif']);
    expect(typesIn([image(png)], 99)).toEqual([]);
    expect(typesIn([image(png)], 0)).toEqual([]);
    const odd: Block = { type: 'image', mimeType: 'image/png', data: png.toString('base64url').replace(/=+$/, '') };
    expect(imagesOf({ content: [odd] }, 200)).toEqual([{ media_type: 'image/png', data: png.toString('base64') }]);
  });
});
