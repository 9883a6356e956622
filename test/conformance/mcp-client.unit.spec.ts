import { readFileSync } from 'node:fs';
import { gaps, type Outcome, runSuite, tableOf } from './mcp-suite.js';

/** Runs the client scenarios of the MCP conformance suite against the registry's client as built (dist/). */
describe('the MCP conformance suite', () => {
  let outcomes: Outcome[] = [];
  beforeAll(async () => {
    outcomes = await runSuite();
  });

  it('passes with the client at every revision, except for the gaps that are named', () => {
    const surprises = outcomes.filter(({ scenario, passes }) => !passes && gaps[scenario] === undefined);
    expect(surprises.map(({ scenario, revision, output }) => `${scenario} at ${revision}: ${output}`)).toEqual([]);
  });

  it('fails where a gap is named', () => {
    const failing = new Set(outcomes.filter(({ passes }) => !passes).map(({ scenario }) => scenario));
    expect(Object.keys(gaps).filter((name) => !failing.has(name))).toEqual([]);
  });

  it('has the results that the documentation shows', () => {
    const page = readFileSync(new URL('../../docs/reference/mcp-conformance.md', import.meta.url), 'utf8');
    const cells = (text: string) => text.split('\n').map((line) => line.replace(/\s*\|\s*/g, '|').replace(/-+/g, '-'));
    expect(cells(page)).toEqual(cells(tableOf(outcomes)));
  });
});
