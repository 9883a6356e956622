import {
  broken,
  clockFinding,
  Diagnoser,
  type Diagnosis,
  type Finding,
  type Principal,
  Problem,
  unwise,
  well,
} from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type NamedClient, SERVICE_CLIENTS } from '../services.js';
import type { DiagnosticsView, FindingView } from './diagnostics.dto.js';

/** The answer of one service, or why there is none. */
interface Answer {
  diagnosis: Diagnosis | null;
  findings: FindingView[];
}

/** Merges the self-checks of all services, and compares the services with each other. */
@Injectable()
export class DiagnosticsService {
  constructor(
    private readonly own: Diagnoser,
    @Inject(SERVICE_CLIENTS) private readonly services: NamedClient[],
  ) {}

  async read(caller: Principal): Promise<DiagnosticsView> {
    const [own, ...others] = await Promise.all([
      this.own.diagnose(caller),
      ...this.services.map((one) => askedOf(one, caller)),
    ]);
    const diagnoses = [own, ...others.flatMap(({ diagnosis }) => diagnosis ?? [])];
    const data = [
      ...named(own.service, own.findings),
      ...others.flatMap(({ findings }) => findings),
      ...named('portal', differences(diagnoses)),
    ];
    const services = diagnoses.map(({ service, runtime, uptime_seconds }) => ({ service, runtime, uptime_seconds }));
    return { now: new Date().toISOString(), state: worst(data), services, data };
  }
}

async function askedOf({ service, client }: NamedClient, caller: Principal): Promise<Answer> {
  const asked = Date.now();
  try {
    const diagnosis = await client.get<Diagnosis>('/internal/diagnosis', caller);
    const answered = Date.now();
    const ahead = Date.parse(diagnosis.now) - (asked + answered) / 2;
    const seen = [
      well('services', `Answered the portal in ${answered - asked} ms.`),
      // The service accepted the portal's token, or it would not have answered.
      well('signatures', 'Accepts tokens signed by the portal.'),
      clockFinding('Its clock, compared with that of the portal,', ahead),
    ];
    return { diagnosis, findings: named(service, [...seen, ...diagnosis.findings]) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { diagnosis: null, findings: named(service, [refusal(error)]) };
  }
}

function refusal({ status, detail }: Problem): Finding {
  if (status === 401 || status === 403) {
    const advice =
      'Set the same GATEHOUSE_SERVICE_KEY or GATEHOUSE_SERVICE_ISSUERS on both sides, and synchronise their clocks.';
    return broken('signatures', `Refuses the token of the portal: ${detail}`, advice);
  }
  return broken('services', `Could not be checked: ${detail}`, 'Check that it runs, and its log.');
}

/** Settings that must be equal in all services. */
function differences(diagnoses: Diagnosis[]): Finding[] {
  const names = new Set(diagnoses.flatMap(({ alike }) => Object.keys(alike)));
  return [...names].map((name) => {
    const values = diagnoses.flatMap(({ service, alike }) => {
      const value = alike[name];
      return value === undefined ? [] : [{ service, value }];
    });
    if (new Set(values.map(({ value }) => value)).size === 1)
      return well('settings', `${name} is the same in all services.`);
    const listed = values.map(({ service, value }) => `${service} ${value}`).join(', ');
    return unwise('settings', `${name} differs: ${listed}.`, `Set the same ${name} in all of them.`);
  });
}

const named = (service: string, findings: Finding[]): FindingView[] =>
  findings.map((finding) => ({ service, ...finding }));

function worst(findings: Finding[]): Finding['state'] {
  const states = new Set(findings.map(({ state }) => state));
  return states.has('error') ? 'error' : states.has('warning') ? 'warning' : 'ok';
}
