import { languageOf } from './language-of.js';
import { folded, gramsOf, wordsOf } from './words-of.js';

describe('words of a text', () => {
  it.each([
    ['Wi-Fi costs 4.90, isn’t it?', ['wi', 'fi', 'costs', '4', '90', 'isn', 't', 'it'], []],
    ['Ｆｕｌｌ width', ['full', 'width'], []],
    ['返品は14日以内', ['14'], ['返品', '品は', '日以', '以内']],
    ['คืนเงิน', [], ['คื', 'ืน', 'นเ', 'เง', 'งิ', 'ิน']],
    ['हिन्दी में', ['हिन्दी', 'में'], []],
    ['🙂 — …', [], []],
  ])('of %s are %j and the pairs %j', (text, words, pairs) => {
    expect(wordsOf(text)).toEqual({ words, pairs });
  });

  it('are cut where they are too long to be words', () => {
    expect(wordsOf('x'.repeat(10_000)).words).toEqual(['x'.repeat(40)]);
  });

  it.each([
    ['kündigung', 'kundigung'],
    ['straße', 'strasse'],
    ['réservation', 'reservation'],
    ['œuf', 'oeuf'],
    ['ёлка', 'елка'],
    ['हिन्दी', 'हिन्दी'],
  ])('%s is compared as %s', (word, without) => {
    expect(folded(word)).toBe(without);
  });

  it('have the letters that a misspelt word shares with the right one', () => {
    const right = new Set(gramsOf('password'));
    expect(gramsOf('pasword').filter((gram) => right.has(gram))).toHaveLength(6);
    expect(gramsOf('the')).toEqual([]);
    expect(gramsOf('8000')).toEqual([]);
  });

  it.each([
    ['How do I get my money back?', 'english'],
    ['Wie kann ich meinen Vertrag kündigen?', 'german'],
    ['Comment puis-je annuler ma réservation ?', 'french'],
    ['¿Cómo puedo cambiar mi cita?', 'spanish'],
    ['Как вернуть деньги?', 'russian'],
    ['refund', null],
    ['返品したい', null],
  ])('%s is %s', (text, language) => {
    expect(languageOf(wordsOf(text).words)).toBe(language);
  });
});
