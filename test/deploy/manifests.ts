import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';

const root = new URL('../../', import.meta.url);

/** The parts of a Kubernetes object that these checks read. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  spec?: Spec;
}

interface Spec {
  selector?: Record<string, unknown> & { matchLabels?: Record<string, string> };
  template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
  ports?: { port: number; targetPort: string }[];
  scaleTargetRef?: { name: string };
  podSelector?: LabelSelector;
  policyTypes?: string[];
  ingress?: { from?: { podSelector?: LabelSelector }[] }[];
  egress?: {
    to?: { podSelector?: LabelSelector; ipBlock?: { cidr: string } }[];
    ports?: { protocol: string; port: number }[];
  }[];
  rules?: { http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
}

interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

interface PodSpec {
  topologySpreadConstraints?: SpreadTerm[];
  affinity?: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: { weight: number; podAffinityTerm: SpreadTerm }[];
    };
  };
  tolerations?: { key: string; operator: string; effect: string; tolerationSeconds: number }[];
  serviceAccountName: string;
  initContainers?: Container[];
  containers: Container[];
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
}

interface SpreadTerm {
  topologyKey: string;
  whenUnsatisfiable?: string;
  labelSelector: LabelSelector;
  matchLabelKeys?: string[];
}

export interface Container {
  image: string;
  command?: string[];
  ports?: { name: string; containerPort: number }[];
  env?: {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef?: { name: string; key: string }; configMapKeyRef?: { name: string; key: string } };
  }[];
  envFrom?: { configMapRef?: { name: string } }[];
  resources?: { requests?: { cpu?: string; memory?: string } };
  securityContext?: { readOnlyRootFilesystem?: boolean };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds?: number;
  failureThreshold?: number;
}

export interface ComposeService {
  image?: string;
  build?: { args: { APP: string } };
  pull_policy?: string;
  ports?: string[];
  container_name?: string;
  environment?: Record<string, string>;
  env_file?: { path: string; required: boolean }[];
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
  command?: string[];
  profiles?: string[];
  stop_grace_period?: string;
}

export const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Every document of a folder's YAML files, with its file. */
export function manifestsIn(folder: string): { file: string; manifest: Manifest }[] {
  const files = readdirSync(new URL(folder, root)).filter(
    (file) => file.endsWith('.yaml') && file !== 'kustomization.yaml',
  );
  return files.flatMap((file) => manifestsOf(read(`${folder}/${file}`)).map((manifest) => ({ file, manifest })));
}

export function manifestsOf(yaml: string): Manifest[] {
  return parseAllDocuments(yaml).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}

export function composeServices(file = 'docker-compose.yml'): Record<string, ComposeService> {
  // Compose's own tags (`!override`) control how files are merged; these checks ignore them.
  const { services } = parse(read(file), { merge: true, logLevel: 'error' }) as {
    services: Record<string, ComposeService>;
  };
  return services;
}

/** Redis's ACL file, with its passwords still as variables. */
export function redisUsersOfCompose(): string {
  const { configs } = parse(read('docker-compose.yml'), { merge: true }) as {
    configs: Record<string, { content: string }>;
  };
  return configs['redis-users']?.content ?? '';
}

/** The settings in the base's ConfigMap. */
export const baseSettings = (): NodeJS.Dict<string> => parseEnv(read('k8s/base/settings.env'));

/** The services, found by their entry point. The host runs some of them and has no settings of its own. */
export const runnableApps = (): string[] =>
  readdirSync(new URL('apps/', root)).filter(
    (app) => app !== 'host' && existsSync(new URL(`apps/${app}/src/main.ts`, root)),
  );

/** Names of the settings that an app needs to start: those whose reader has no default. */
export function requiredSettings(app: string): string[] {
  const own = `apps/${app}/src/env.ts`;
  if (!existsSync(new URL(own, root))) return [];
  const source = read(own);
  const inherited = source.includes('...serviceSettings') ? read('libs/service-kit/src/env.ts') : '';
  const settings = [...`${inherited}\n${source}`.matchAll(/^ +([A-Z][A-Z0-9_]+): (?:(?:text|url)\(\)|json\()/gm)];
  return settings.map(([, name]) => name ?? '');
}
