import type { Api } from '../api/api.js';
import { casesOf } from './eval-set.js';

const answers: Record<string, unknown> = {
  'agents/agt_1/case-sets': { data: [{ id: 'cst_1', name: 'Refunds', rules: [] }] },
  'agents/agt_1/case-sets/cst_1': {
    rules: [{ contains: '14 days' }],
    turns: [
      { turn_id: 'trn_1', message: `Hello,\n\nhow long ${'so '.repeat(40)}` },
      { turn_id: 'trn_2', message: null },
    ],
  },
};
const api = { get: async (path: string) => answers[path] } as Partial<Api> as Api;

describe('the cases of a set', () => {
  it('ask the messages of its turns by its rules, and name one that is gone', async () => {
    expect(await casesOf(api, 'agt_1', 'Refunds')).toEqual([
      {
        name: expect.stringMatching(/^Hello, how long so .{0,44}$/),
        asks: [{ turn_id: 'trn_1' }],
        rules: [{ contains: '14 days' }],
      },
      {
        name: 'trn_2',
        asks: [{ turn_id: 'trn_2' }],
        rules: [{ contains: '14 days' }],
        gone: 'its message is past its retention',
      },
    ]);
  });

  it('are refused for a name that no set has', async () => {
    await expect(casesOf(api, 'agt_1', 'Orders')).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('It has Refunds.'),
    });
  });
});
