import { type ListedTool, Listings } from './listed-tool.js';

const toolOf = (count: number): object => {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }]));
  return { name: `of ${count}`, inputSchema: { type: 'object', properties } };
};

const limits = { bytes: 65_536, schemas: 1_000 };

function readBy(listings: Listings, ...tools: object[]): { listed: ListedTool[]; cpuUs: number } {
  const before = process.cpuUsage();
  const listed = listings.read(tools);
  const { user, system } = process.cpuUsage(before);
  return { listed, cpuUs: user + system };
}
const read = (...tools: object[]) => readBy(new Listings(limits), ...tools);

it('compiles no schema over the limit of a definition, which would hold up the process', () => {
  const within = readBy(new Listings({ ...limits, schemas: 2_000 }), toolOf(1_500));
  const over = read(toolOf(20_000), { name: 'small', inputSchema: { type: 'object' } });
  expect(within.listed).toMatchObject([{ problem: null }]);
  expect(over.listed).toEqual([
    { name: 'of 20000', problem: expect.stringMatching(/^its definition has \d{6} bytes, more than 65536$/) },
    expect.objectContaining({ name: 'small', problem: null }),
  ]);
  expect(over.cpuUs).toBeLessThan(within.cpuUs);
});

it('compiles no schema with more properties than the limit, however few bytes they have, and names the setting', () => {
  const within = read(toolOf(900));
  // The least of some: a collection of garbage may fall into any of them.
  const tries = [1, 2, 3].map(() => read(toolOf(1_900)));
  const over = tries.reduce((least, each) => (each.cpuUs < least.cpuUs ? each : least));
  expect(over.listed).toEqual([
    {
      name: 'of 1900',
      problem: 'its definition has 1901 properties and other schemas, more than 1000 (MCP_DEFINITION_SCHEMAS)',
    },
  ]);
  expect(over.cpuUs).toBeLessThan(within.cpuUs / 2);
});

it('compiles what is listed once more the same only once', () => {
  const listings = new Listings(limits);
  const first = readBy(listings, toolOf(900));
  const second = readBy(listings, toolOf(900));
  expect(second.listed).toEqual(first.listed);
  expect(second.cpuUs).toBeLessThan(first.cpuUs / 4);
  const { inputSchema, ...rest } = toolOf(900) as { inputSchema: object };
  const changed = readBy(listings, { ...rest, inputSchema: { ...inputSchema, required: ['p1'] } });
  expect(changed.listed[0]).toMatchObject({ definition: { input_schema: { required: ['p1'] } } });
});
