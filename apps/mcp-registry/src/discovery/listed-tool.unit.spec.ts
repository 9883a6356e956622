import { readListing } from './listed-tool.js';

const toolOf = (count: number): object => {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }]));
  return { name: `of ${count}`, inputSchema: { type: 'object', properties } };
};

function read(...tools: object[]): { listed: ReturnType<typeof readListing>; cpuUs: number } {
  const before = process.cpuUsage();
  const listed = readListing(tools, 65_536);
  const { user, system } = process.cpuUsage(before);
  return { listed, cpuUs: user + system };
}

it('compiles no schema over the limit of a definition, which would hold up the process', () => {
  const within = read(toolOf(1_500));
  const over = read(toolOf(20_000), { name: 'small', inputSchema: { type: 'object' } });
  expect(within.listed).toMatchObject([{ problem: null }]);
  expect(over.listed).toEqual([
    { name: 'of 20000', problem: expect.stringMatching(/^its definition has \d{6} bytes, more than 65536$/) },
    expect.objectContaining({ name: 'small', problem: null }),
  ]);
  expect(over.cpuUs).toBeLessThan(within.cpuUs);
});
