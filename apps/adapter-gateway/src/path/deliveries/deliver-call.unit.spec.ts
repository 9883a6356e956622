import { wrongDelivery, wrongDeliveryDetail } from '../adapters/answer-fields.js';
import { deliverAnswer, deliverRefusal } from './deliver-call.js';

const read = (answer: Record<string, unknown>): object => deliverAnswer(answer, 'dlv_1');

describe('an answer of /deliver', () => {
  it('is a delivery unless it says that it is not, whatever id it gives', () => {
    expect(read({ ok: true, message_id: 'm1' })).toEqual({ ok: true, message_id: 'm1' });
    expect(read({ ok: true, message_id: 42 })).toEqual({ ok: true, message_id: '42' });
    expect(read({ ok: true })).toEqual({ ok: true, message_id: 'dlv_1' });
    expect(read({})).toEqual({ ok: true, message_id: 'dlv_1' });
    expect(read({ status: 'sent', error: null })).toEqual({ ok: true, message_id: 'dlv_1' });
  });

  it('is a failure when it names an error, with the retries that its code stands for', () => {
    expect(read({ ok: false, error: 'rate_limited' })).toMatchObject({
      ok: false,
      error: 'rate_limited',
      error_detail: { retryable: true },
    });
    expect(read({ ok: null, error: 'channel is archived' })).toMatchObject({ ok: false, error: 'invalid_request' });
    expect(read({ error: 'channel is archived' })).toMatchObject({
      ok: false,
      error: 'invalid_request',
      error_detail: { retryable: false, message: 'channel is archived' },
    });
  });

  it('does not use a value that is not a number for waiting or counting', () => {
    const detail = { message: 'later\0', retryable: true, retry_after: 'soon' };
    expect(read({ ok: false, error: 'rate_limited', error_detail: detail, delivered_parts: 'two' })).toEqual({
      ok: false,
      error: 'rate_limited',
      error_detail: { message: 'later', retryable: true },
    });
  });

  it.each([400, 403, 404, 410, 413, 422])('is final with the status %d, and has the words of its body', (status) => {
    expect(deliverRefusal({ status, body: {}, words: 'no such channel' }, '/deliver')).toMatchObject({
      ok: false,
      error_detail: {
        retryable: false,
        provider_status: status,
        message: `/deliver answered ${status}: no such channel`,
      },
    });
    const failure = { ok: false, error: 'rate_limited', error_detail: { retry_after: 7 } };
    expect(deliverRefusal({ status, body: failure, words: null }, '/deliver')).toMatchObject({
      error: 'rate_limited',
      error_detail: { retryable: true, retry_after: 7 },
    });
  });

  it('is invalid with an ok that is neither true nor false, or parts that are not a number', () => {
    expect(wrongDelivery({ ok: 'yes' })).toBe('ok must be true or false, not a text');
    expect(wrongDelivery({ ok: false, delivered_parts: 'two' })).toMatch(/^delivered_parts must be a whole number/);
    expect(wrongDelivery({})).toBeNull();
  });

  it('takes whole numbers as ids and as an address', () => {
    expect(read({ ok: true, message_id: 2 ** 53 })).toEqual({ ok: true, message_id: '9007199254740992' });
    const detail = { channel_address: 1e21 };
    expect(read({ ok: false, error: 'address_moved', error_detail: detail })).toMatchObject({
      error_detail: { channel_address: '1000000000000000000000' },
    });
    expect(wrongDeliveryDetail({ ok: true, message_id: 2 ** 53 })).toBeNull();
    expect(wrongDeliveryDetail({ ok: true, message_id: 1.5 })).toMatch(/^message_id must be/);
  });

  it('stays valid with details of a wrong type, and names them', () => {
    expect(wrongDeliveryDetail({ ok: true, message_id: {} })).toBe(
      'message_id must be a text or a whole number, not an object',
    );
    expect(wrongDeliveryDetail({ ok: false, error_detail: { retry_after: 'soon' } })).toBe(
      'error_detail.retry_after must be a number of seconds, not a text',
    );
    expect(wrongDeliveryDetail({ ok: true, message_id: 17, thread_id: null, fallback: null })).toBeNull();
  });
});
