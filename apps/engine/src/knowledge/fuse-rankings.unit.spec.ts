import { fuseRankings } from './fuse-rankings.js';

const chunks = (...names: string[]) => names.map((document_id) => ({ document_id, seq: 0 }));
const fused = (words: string[], meaning: string[]) =>
  fuseRankings(chunks(...words), chunks(...meaning)).map(({ document_id }) => document_id);
const many = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

describe('two rankings that are fused', () => {
  it('have what both find first before what one of them finds', () => {
    expect(fused(['a', 'b'], ['b', 'c'])).toEqual(['b', 'a', 'c']);
  });

  it('leave the first four by words where they were, when meaning finds other chunks', () => {
    expect(fused(many('word', 50), many('near', 50)).slice(0, 4)).toEqual(many('word', 4));
  });

  it('have the first by meaning among five, however many chunks have a word of the question', () => {
    expect(fused(many('word', 50), many('near', 50))[4]).toBe('near1');
  });

  it('are the one of them that finds something', () => {
    expect(fused([], ['a', 'b'])).toEqual(['a', 'b']);
    expect(fused(['a', 'b'], [])).toEqual(['a', 'b']);
  });

  it('have three chunks of one document at most', () => {
    const whole = Array.from({ length: 5 }, (_, seq) => ({ document_id: 'long', seq }));
    expect(fuseRankings(whole, [...whole, ...chunks('other')]).map(({ document_id }) => document_id)).toEqual([
      'long',
      'long',
      'long',
      'other',
    ]);
  });
});
