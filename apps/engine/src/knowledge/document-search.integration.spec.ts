import { newId } from '#libs/contracts';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld } from '../testing/engine-world.js';

describe('search of the knowledge', () => {
  let world: EngineWorld;

  const add = async (title: string, text: string) => (await world.call('POST', 'knowledge', { title, text })).body.id;
  const titles = async (q: string, more = '') =>
    (await world.call('GET', `knowledge/search?q=${encodeURIComponent(q)}${more}`)).body.data.map(
      ({ title }: { title: string }) => title,
    );

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['knowledge:write'] });
    await world.start();
    await add('Refund policy', 'Send it back to us within 30 days, and the amount is paid to the card that you used.');
    await add(
      'Delivery',
      'The parcel takes two days in the country and six to the islands. We do not ship on Sundays.',
    );
    await add('Zahlung', 'Die Rechnung ist nach vierzehn Tagen fällig. Einen Widerspruch schicken Sie uns per Post.');
    await add('Kündigungsfrist', 'Verträge enden zum Ablauf, wenn Sie einen Monat vorher schreiben.');
    await add('Annulation', "Une chambre réservée s'annule sans frais la veille de l'arrivée, par le lien du message.");
    await add('返品について', '商品到着後14日以内で未使用のものに限り、返品を承ります。');
    await add('配送料', '送料は全国一律550円で、発送後に追跡番号をお知らせします。');
    await add('การคืนเงิน', 'เราจะโอนเงินคืนเข้าบัญชีภายในห้าวันทำการ');
    await add('ค่าจัดส่ง', 'กรุงเทพใช้เวลาหนึ่งถึงสองวัน ต่างจังหวัดสามถึงห้าวัน');
  });
  afterAll(() => world.close());

  it.each([
    ['a word of the title alone', 'refund', 'Refund policy'],
    ['another form of a word', 'Who pays for refunding?', 'Refund policy'],
    ['another form, in German', 'Wann sind Rechnungen fällig?', 'Zahlung'],
    ['a word without its accents', 'reserver une chambre', 'Annulation'],
    ['a word with umlauts left out', 'vertrage kundigen', 'Kündigungsfrist'],
    ['a misspelt word', 'delivrey of a parcle', 'Delivery'],
    ['a part of a compound', 'frist der kündigung', 'Kündigungsfrist'],
    ['Japanese words', '返品したいのですが', '返品について'],
    ['Thai words', 'ขอเงินคืนได้ไหม', 'การคืนเงิน'],
    ['words of which the most are frequent ones', 'what do you do with the parcel', 'Delivery'],
  ])('finds a document by %s', async (_, question, title) => {
    expect((await titles(question))[0]).toBe(title);
  });

  it('finds nothing by letters that a document only happens to have', async () => {
    expect(await titles('xylophone')).toEqual([]);
    expect(await titles('??')).toEqual([]);
  });

  it('finds nothing of another project or organization', async () => {
    for (const stranger of [
      { organizationId: home.organizationId, projectId: newId('prj') },
      { organizationId: newId('org'), projectId: home.projectId },
    ]) {
      expect((await world.call('GET', 'knowledge/search?q=refund', undefined, stranger)).body.data).toEqual([]);
    }
  });

  it('gives at most three parts of one document, and a part by the heading that it stands under', async () => {
    const part = `${'The pump is cleaned with water and dried in the sun. '.repeat(27)}\n\n`;
    await add('Handbook', `# Maintenance of turbines\n\n${part.repeat(6)}`);
    await add('Leaflet', 'A pump is cleaned.');
    const found = await titles('pump', '&limit=10');
    expect(found.filter((title: string) => title === 'Handbook')).toHaveLength(3);
    expect(found).toContain('Leaflet');
    expect(await titles('turbine')).toEqual(['Handbook', 'Handbook', 'Handbook']);
  });

  it('finds the last part of a long document soon after it was added, and of one that an older release stored', async () => {
    const filler = 'Filler words of no use to anybody. '.repeat(2_000);
    const id = await add('Archive', `${filler}\n\nThe sextant lies in drawer nine.`);
    await until('its last part is found', async () => (await titles('sextant'))[0] === 'Archive');
    await world.pool.query('UPDATE engine.chunk SET terms = NULL, language = NULL WHERE document_id = $1', [id]);
    await until('its last part is found', async () => (await titles('sextant'))[0] === 'Archive');
  });
});
