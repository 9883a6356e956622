import { PublicAddress } from '../../path/receipts/receipt-job.js';
import { packedRequest, unpackedRequest } from '../../path/receipts/receipt.repository.js';
import { MovingRows } from './moving-rows.js';

const scope = { organizationId: 'org_1', projectId: 'prj_1' };
const moving = new MovingRows(new PublicAddress({ PUBLIC_URL: 'https://cell-1.example' }));
const columns = ['id', 'url', 'headers', 'body', 'packed_bytes'];
const leave = async (row: (string | null)[]) =>
  (await moving.leave(scope, 'ingress.receipt', { columns, rows: [row] })).rows[0];

describe('a request that leaves with its project', () => {
  it('says the address that its sender used, also when it is packed', async () => {
    expect(await leave(['evt_1', '/hook?a=1', '{}', '\\x7b7d', null])).toEqual([
      'evt_1',
      'https://cell-1.example/hook?a=1',
      '{}',
      '\\x7b7d',
      null,
    ]);
    const request = { url: '/hook', headers: '{"a":"b"}', body: Buffer.from('{}') };
    const packed = `\\x${(await packedRequest(request)).toString('hex')}`;
    const row = await leave(['evt_1', '', '', packed, '2']);
    expect(unpackedRequest(Buffer.from(row?.[3]?.slice(2) ?? '', 'hex'))).toEqual({
      ...request,
      url: 'https://cell-1.example/hook',
    });
    expect([row?.[1], row?.[4]]).toEqual(['', '2']);
  });

  it('keeps the address where another installation had received it, and has none once it is erased', async () => {
    const url = 'https://cell-0.example/hook';
    expect((await leave(['evt_1', url, '{}', '\\x7b7d', null]))?.[1]).toBe(url);
    expect((await leave(['evt_1', '/', '{}', '\\x', null]))?.[1]).toBe('/');
  });
});
