import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { embeddedTexts, readCorpora } from '../../bench/knowledge/corpora.mjs';
import { mostBytes, openVectorFile, packVectors } from '../../bench/knowledge/vector-file.mjs';

const origin = { model: 'm', version: '1', licence: 'MIT', source: 'https://m.example', made: '2026-11-29' };
const texts = [
  { name: 'question "a"', text: 'a' },
  { name: 'document "b"', text: 'b' },
];
const packed = () =>
  packVectors(origin, texts, [
    [0.5, -1, 0.004],
    [3, 4, 0],
  ]);
const committed = new URL('../../bench/knowledge/vectors.json', import.meta.url);

describe('a file of vectors', () => {
  it('gives each text its vector, to a hundredth of its largest number, and says whose it is', () => {
    const { origin: read, vectorOf } = openVectorFile(JSON.parse(JSON.stringify(packed())), texts);
    expect(read).toEqual(origin);
    expect(vectorOf('a')).toEqual([64, -127, 1]);
    expect(vectorOf('b')).toEqual([95, 127, 0]);
    expect(vectorOf('c')).toBeUndefined();
  });

  it('is refused when a text has changed since, and the text is named', () => {
    const changed = [texts[0]!, { name: 'document "b"', text: 'b, as it is now' }];
    expect(() => openVectorFile(packed(), changed)).toThrow(/1 texts .* since 2026-11-29.*document "b"/);
  });

  it.each([
    ['names no licence', () => ({ ...packed(), licence: '' }), /no licence/],
    [
      'has a vector cut short',
      () => ({ ...packed(), vectors: { x: 'AAAA' }, dimensions: 4 }),
      /damaged: 3 numbers of 4/,
    ],
    ['has a vector of nothing', () => ({ ...packed(), vectors: { x: 'AAAA' } }), /damaged/],
    ['is written in another way', () => ({ ...packed(), encoding: 'floats' }), /otherwise: floats/],
    ['is none', () => null, /no model/],
  ])('that %s is refused', (_what, file, why) => {
    expect(() => openVectorFile(file(), texts)).toThrow(why);
  });

  it('is not made of vectors that cannot be compared', () => {
    expect(() =>
      packVectors(origin, texts, [
        [1, 2],
        [0, 0],
      ]),
    ).toThrow(/document "b"/);
    expect(() => packVectors(origin, texts, [[1, 2], [1]])).toThrow(/document "b"/);
    expect(() => packVectors(origin, texts, [[1, 2]])).toThrow(/document "b"/);
  });

  it('is made of an endpoint of embeddings, for all that the benchmark asks', async () => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
      const data = input.map((text, index) => ({ index, embedding: [text.length, 1] })).toReversed();
      response.end(JSON.stringify({ data }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const path = join(await mkdtemp(join(tmpdir(), 'vectors-')), 'vectors.json');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const whose = ['--model', 'm', '--version', '1', '--licence', 'MIT', '--source', 'https://m.example'];
    await promisify(execFile)(process.execPath, [
      'scripts/knowledge-vectors.mjs',
      '--url',
      url,
      ...whose,
      '--file',
      path,
    ]);
    await new Promise((resolve) => server.close(resolve));
    const all = embeddedTexts(readCorpora());
    const { vectorOf } = openVectorFile(JSON.parse(await readFile(path, 'utf8')), all);
    expect(vectorOf(all[1]!.text)).toEqual([127, expect.any(Number)]);
  });

  it('of the repository, where there is one, has every text of the benchmark and is small', () => {
    if (!existsSync(committed)) return;
    const text = readFileSync(committed, 'utf8');
    expect(text.length).toBeLessThan(mostBytes);
    expect(() => openVectorFile(JSON.parse(text), embeddedTexts(readCorpora()))).not.toThrow();
  });
});
