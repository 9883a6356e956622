import { Hopeless } from '#libs/testing';
import { openSink, type Sink } from '../system/sink.js';
import { startSmallSystem, type System } from '../system/system.js';
import { apiDocument, type DescribedOperation, operationsOf } from './api-document.js';
import { type ContractProcess, startContractProcess } from './contract-process.js';
import { walkAccess } from './walks/access.js';
import { walkAdapters } from './walks/adapters.js';
import { walkApps } from './walks/apps.js';
import { walkMessages } from './walks/messages.js';
import { walkTools } from './walks/tools.js';

/**
 * Operations that no walk reaches: those of a signed-in browser, its way through a consent, an endless stream, a turn
 * that must be caught while it runs, a summary that only a long conversation has.
 */
const notWalked = [
  'cancelSessionTurn',
  'checkArrival',
  'confirmAccount',
  'correctMemory',
  'correctSessionSummary',
  'createOrganization',
  'declineAccount',
  'deleteMemory',
  'endHandingOn',
  'endMemberSession',
  'finishSingleSignOn',
  'getMemory',
  'getSignedIn',
  'oauthCallback',
  'readMovedRows',
  'receiveMove',
  'registerMcpServerByOauth',
  'revokePeer',
  'signOut',
  'startSingleSignOn',
  'storeMovedRows',
  'streamEvents',
  'streamSession',
  'streamTrial',
  'switchMove',
  'takeHandedOnReceipts',
  'useConnectLink',
];

describe('the API answers as its document describes', () => {
  let system: System;
  let sink: Sink;
  let adapters: ContractProcess;
  let operations: DescribedOperation[];

  beforeAll(async () => {
    [sink, adapters] = await Promise.all([openSink(), startContractProcess()]);
    system = await startSmallSystem({ RENEWAL_SWEEP_MS: '100' });
    operations = operationsOf(await apiDocument(system.origin('portal')));
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([sink?.close(), adapters?.close()]);
  });

  const ground = () => ({ system, sink, adapters });
  walkAccess(ground);
  walkApps(ground);
  walkAdapters(ground);
  walkTools(ground);
  walkMessages(ground);

  const id = '00000000000000000000000000000000';
  const unknown = ({ path }: DescribedOperation): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (/number|version/.test(name) ? '999' : `none_${id}`));
  const managed = (): DescribedOperation[] =>
    operations.filter(({ path }) => !/^\/api\/v1\/(webhooks|oauth)\//.test(path));

  it('to requests for what does not exist', async () => {
    for (const operation of managed().filter(({ method, path }) => method === 'GET' && path.includes('{'))) {
      await system.api('GET', unknown(operation)).catch(refused);
    }
  });

  it('to bodies with an undeclared field, which are refused', async () => {
    for (const operation of managed().filter(({ requestBody }) => requestBody)) {
      const asked = system.api(operation.method, unknown(operation), { no_such_field: true });
      await asked.then(() => expect(operation.name).toBe('refused'), refused);
    }
  });

  it('to every operation, except for those that no walk reaches', () => {
    const missed = operations.map(({ operationId }) => operationId ?? '').filter((one) => !system.succeeded().has(one));
    expect(missed.toSorted()).toEqual(notWalked);
  });
});

/** Refused, and in the described form. */
function refused(error: unknown): void {
  if (error instanceof Hopeless) throw error;
  expect(String(error)).toMatch(/ answered 4\d\d: /);
}
