import { eventResult } from './event-result.js';

describe('the result of an event', () => {
  it('is expired, in words of its own, where the data of the reader was erased before the reply was sent', () => {
    const of = { receipt_id: 'evt_1', reason: null };
    const turn = {
      ...of,
      stage: 'turn',
      subject_id: 'trn_1',
      outcome: 'succeeded',
      detail: { delivery_id: 'dlv_1' },
    } as const;
    const delivery = { ...of, stage: 'delivery', subject_id: 'dlv_1', outcome: 'expired', detail: null } as const;
    const resultOf = (reason: string) => eventResult([{ id: 'trn_1', last: turn }], [{ ...delivery, reason }]);
    expect(resultOf('erased')).toEqual({
      state: 'expired',
      reason: 'erased',
      until: null,
      text: 'A reply was not sent, because the data of its reader was erased.',
    });
    expect(resultOf('too_old').text).toContain('too late');
  });
});
