import { validateSync } from 'class-validator';
import { inboundParse } from './jobs/inbound-parse.js';

const refusedFor = (custody: unknown): string[] => {
  const ids = { receipt_id: 'evt_1', organization_id: 'org_1', project_id: 'prj_1', app_id: 'app_1' };
  const payload = { ...ids, received_at: '2026-01-01T00:00:00Z', verified_scheme: null, custody };
  const errors = validateSync(Object.assign(new inboundParse.payload(), payload), { forbidUnknownValues: false });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {}));
};

describe('custody in a job', () => {
  it.each([undefined, {}, { surplus: true }, { attempts: 0 }, { attempts: 3, surplus: true }, { resent: true }])(
    'may be %j',
    (custody) => expect(refusedFor(custody)).toEqual([]),
  );

  it.each([{ attempts: '1' }, { attempts: 1.5 }, { surplus: 'yes' }, { resent: false }, { tried: 1 }, [], 'surplus'])(
    'is refused with its parts as %j',
    (custody) => expect(refusedFor(custody)).toEqual([expect.stringContaining('attempts (an integer)')]),
  );
});
