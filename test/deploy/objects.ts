import type { Container, Manifest } from './manifests.js';

interface Pod {
  containers: (Container & { name: string; volumeMounts: { name: string; mountPath: string }[] })[];
  initContainers?: Pod['containers'];
  volumes: object[];
  tolerations: { key: string }[];
  affinity?: object;
}

interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: Pod;
}

type Peers = { ipBlock?: { cidr: string }; namespaceSelector?: object }[];

/** The parts of each kind of object that these checks read. */
interface Kinds {
  ConfigMap: { data: Record<string, string> };
  Deployment: { spec: { replicas?: number; template: PodTemplate } };
  ExternalSecret: { spec: { dataFrom: object[] } };
  HTTPRoute: {
    spec: {
      rules: { matches: { path: { value: string } }[]; backendRefs: { name: string; port: number }[] }[];
    };
  };
  Ingress: { spec: { rules: { host: string }[] } };
  Job: { spec: { template: PodTemplate } };
  NetworkPolicy: { spec: { ingress: { from: Peers }[]; egress: { to: Peers }[] } };
  PodMonitor: { spec: { selector: { matchLabels: Record<string, string> }; podMetricsEndpoints: { port: string }[] } };
  ScaledObject: {
    spec: { scaleTargetRef: { name: string }; triggers: { metadata: { query?: string } }[] };
  };
  Secret: { stringData: Record<string, string> };
  HorizontalPodAutoscaler: { spec: { scaleTargetRef: { kind: string; name: string }; behavior: object } };
  ServiceAccount: object;
  StatefulSet: {
    spec: {
      strategy?: object;
      serviceName: string;
      template: PodTemplate;
      volumeClaimTemplates: { metadata: { name: string }; spec: { resources: object; storageClassName?: string } }[];
    };
  };
  ServiceMonitor: { spec: { endpoints: { port: string }[] } };
}

export type ObjectOf<Kind extends keyof Kinds> = Kinds[Kind] & {
  kind: string;
  metadata: Manifest['metadata'] & { annotations?: Record<string, string> };
};

export const id = ({ kind, metadata }: Pick<Manifest, 'kind' | 'metadata'>): string => `${kind} ${metadata.name}`;

export const ofKind = <Kind extends keyof Kinds>(objects: Manifest[], kind: Kind): ObjectOf<Kind>[] =>
  objects.filter((each) => each.kind === kind) as object[] as ObjectOf<Kind>[];

export function find<Kind extends keyof Kinds>(objects: Manifest[], kind: Kind, name: string): ObjectOf<Kind> {
  const [found] = ofKind(objects, kind).filter(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

export const podOf = (objects: Manifest[], name: string): PodTemplate =>
  find(objects, 'Deployment', name).spec.template;

export function appOf(objects: Manifest[], name: string): Pod['containers'][number] {
  const [app] = podOf(objects, name).spec.containers;
  if (!app) throw new Error(`the Deployment ${name} has no container`);
  return app;
}
