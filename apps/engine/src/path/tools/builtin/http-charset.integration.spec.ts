import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EngineWorld, engineWorld, turnOf } from '../../../testing/engine-world.js';
import { type FakeModel } from '../../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../../testing/turns-of.js';

describe('a page that http_request reads', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let agent: string;
  let sent: { type: string | null; bytes: Buffer } = { type: null, bytes: Buffer.alloc(0) };
  const site = createServer((_, response) => {
    response.writeHead(200, sent.type === null ? {} : { 'content-type': sent.type }).end(sent.bytes);
  });

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    await world.start({ TOOL_RESULT_KEPT_BYTES: 20_000 });
    agent = await agentOf(world, { tools: ['http_request'] });
  });
  afterAll(async () => {
    await world.close();
    await new Promise((resolve) => site.close(resolve));
  });

  const read = async (type: string | null, bytes: Buffer) => {
    sent = { type, bytes };
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    model.script([{ name: 'http_request', arguments: JSON.stringify({ method: 'GET', url }) }], 'Done.');
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    return (await turnsOf(world).results(turn.turn_id))[0];
  };
  const hex = (text: string) => Buffer.from(text, 'hex');
  const page = (head: string, bytes: string) => Buffer.concat([Buffer.from(head), hex(bytes)]);

  it.each([
    ['a header', 'text/html; charset=windows-1251', hex('cff0e8e2e5f2'), 'Привет'],
    ['a header', 'text/plain; charset=Shift_JIS', hex('82b182f182c982bf82cd'), 'こんにちは'],
    ['a header', 'application/json; charset=gb18030', hex('22c4e3bac322'), '"你好"'],
    ['a header', 'text/plain; charset=utf-16be', hex('0047007200fc00df0065'), 'Grüße'],
    ['a byte order mark', 'text/plain', hex('fffe47007200fc00df006500'), 'Grüße'],
    ['<meta charset>', 'text/html', page('<meta charset="euc-kr">', 'bec8b3e7'), '<meta charset="euc-kr">안녕'],
    [
      '<meta http-equiv>',
      null,
      page('<meta http-equiv=content-type content="text/html; charset=iso-8859-7">', 'cae1ebe7'),
      '<meta http-equiv=content-type content="text/html; charset=iso-8859-7">Καλη',
    ],
    [
      'an XML declaration',
      'application/xml',
      page('<?xml version="1.0" encoding="iso-8859-2"?><a>', '5a61bff3b3e6'),
      '<?xml version="1.0" encoding="iso-8859-2"?><a>Zażółć',
    ],
  ])('is text in the charset of %s: %s', async (_, type, bytes, body) => {
    expect(await read(type, bytes)).toMatchObject({ status: 200, body, truncated: false });
    expect((await read(type, bytes)).note).toBeUndefined();
  });

  it('says where its charset is unknown, wrong or guessed', async () => {
    expect(await read('text/html; charset=klingon', Buffer.from('née'))).toMatchObject({
      body: 'née',
      note: 'The charset that its Content-Type names is unknown: klingon. It was read as utf-8.',
    });
    expect(await read('text/html; charset=iso-8859-1', Buffer.from('née'))).toMatchObject({
      body: 'née',
      note: expect.stringContaining('not iso-8859-1'),
    });
    expect(await read('text/html', hex('636166e9'))).toMatchObject({
      body: 'café',
      note: expect.stringContaining('letters may be wrong'),
    });
  });

  it('may be cut inside a character', async () => {
    const long = Buffer.concat([Buffer.from('x'), hex('82b1'.repeat(15_000))]);
    const cut = await read('text/plain; charset=shift_jis', long);
    expect(cut).toMatchObject({ truncated: true });
    expect(cut.note).toBeUndefined();
    expect(cut.body).toMatch(/^xこ{100}/);
    expect(cut.body).not.toContain('\ufffd');
  });

  it('is named as bytes where it is not text, whatever charset is declared', async () => {
    const png = hex('89504e470d0a1a0a0000000d49484452ff');
    for (const type of ['image/png', 'text/html; charset=windows-1251', null]) {
      expect(await read(type, png)).toMatchObject({ body: '[17 bytes that are not text]' });
    }
  });
});
