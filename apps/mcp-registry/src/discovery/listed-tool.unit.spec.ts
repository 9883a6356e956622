import { readListing } from './listed-tool.js';

it('compiles no schema over the limit of a definition, which would hold up the process', () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
  const big = { name: 'big', inputSchema: { type: 'object', properties } };
  const before = process.cpuUsage();
  const [first, second] = readListing([big, { name: 'small', inputSchema: { type: 'object' } }], 65_536);
  const { user, system } = process.cpuUsage(before);
  expect(first).toEqual({
    name: 'big',
    problem: expect.stringMatching(/^its definition has \d{6} bytes, more than 65536$/),
  });
  expect(second).toMatchObject({ name: 'small', problem: null });
  expect(user + system).toBeLessThan(1_000_000);
});
