import { describeRendered, rendered } from './helm.js';
import { built, describeBuilt } from './kustomize.js';
import type { Manifest } from './manifests.js';
import { ofKind } from './objects.js';
import { complaint } from './schema.js';

const name = 'webhook-ingress';
const onPod = { name: 'spool', emptyDir: { sizeLimit: '1Gi' } };

const spoolsOf = (objects: Manifest[]): object[] =>
  [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'StatefulSet')]
    .filter(({ metadata }) => metadata.name === name)
    .flatMap(({ spec }) => spec.template.spec.volumes)
    .filter((volume) => 'name' in volume && volume.name === 'spool');

/** A volume that goes with its pod by default, one that stays by choice. */
function describeSpool(what: typeof describe, title: string, make: (chosen: boolean) => Manifest[]): void {
  what(`the spool of the ingress, by ${title}`, () => {
    it('goes with its pod unless a volume is chosen', () => {
      const objects = make(false);
      expect(ofKind(objects, 'StatefulSet')).toEqual([]);
      expect(spoolsOf(objects)).toEqual([onPod]);
    });

    it('is a volume of each replica where that is chosen, of an object that Kubernetes takes', async () => {
      const objects = make(true);
      expect(ofKind(objects, 'Deployment').filter(({ metadata }) => metadata.name === name)).toEqual([]);
      const [set, ...more] = ofKind(objects, 'StatefulSet');
      expect([set?.metadata.name, more]).toEqual([name, []]);
      expect(spoolsOf(objects)).toEqual([]);
      expect(set?.spec).toMatchObject({ serviceName: name, podManagementPolicy: 'Parallel' });
      expect(set?.spec.strategy).toBeUndefined();
      expect(set?.spec.volumeClaimTemplates).toEqual([
        {
          metadata: { name: 'spool' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ]);
      // The claim is mounted by the name of the volume that it replaces.
      const [app] = set?.spec.template.spec.containers ?? [];
      expect(app?.volumeMounts).toContainEqual({ name: 'spool', mountPath: '/spool' });
      const found = objects.find(({ kind }) => kind === 'StatefulSet');
      expect(found && (await complaint(found))).toBeNull();
    });

    it('is not scaled away with what is in it', () => {
      const scaler = ofKind(make(true), 'HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === name);
      expect(scaler?.spec).toMatchObject({
        scaleTargetRef: { kind: 'StatefulSet', name },
        behavior: { scaleDown: { selectPolicy: 'Disabled' } },
      });
      const without = ofKind(make(false), 'HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === name);
      expect(without?.spec).toMatchObject({ scaleTargetRef: { kind: 'Deployment' }, behavior: { scaleDown: {} } });
    });
  });
}

describeSpool(describeBuilt, 'component', (chosen) => built('production', chosen ? ['spool-volume'] : []));
describeSpool(describeRendered, 'value of the chart', (chosen) => rendered({ spoolVolume: { enabled: chosen } }));

describeRendered("the chart's own choices for the volume of the spool", () => {
  it('set its size and its storage class', () => {
    const [set] = ofKind(
      rendered({ spoolVolume: { enabled: true, storage: '5Gi', storageClass: 'fast' } }),
      'StatefulSet',
    );
    expect(set?.spec.volumeClaimTemplates[0]?.spec).toMatchObject({
      resources: { requests: { storage: '5Gi' } },
      storageClassName: 'fast',
    });
  });
});
