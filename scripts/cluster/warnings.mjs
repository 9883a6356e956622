/** What the cluster complained about, by kind, and containers that started more than once. @param {import('./kubectl.mjs').Kubectl} kubectl */
export async function warnings(kubectl) {
  const { items } = await kubectl.json('events', '-n', 'gatehouse', '--field-selector', 'type=Warning');
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const { involvedObject, reason, message, count } of items) {
    const owner = involvedObject.name.replace(/(-[a-f0-9]{6,10})?-[a-z0-9]{5}$/, '');
    // Addresses, ids and times differ from one to the next.
    const gist = String(message)
      .replaceAll(/\d+(\.\d+){3}(:\d+)?|[0-9a-f]{8,}|"[^"]*"/g, '…')
      .slice(0, 160);
    const key = `${reason}, ${involvedObject.kind} ${owner}: ${gist}`;
    seen.set(key, (seen.get(key) ?? 0) + (count ?? 1));
  }
  const pods = (await kubectl.json('pods', '-n', 'gatehouse')).items;
  const restarted = pods.flatMap(({ metadata, status }) =>
    [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
      .filter(({ restartCount }) => restartCount > 0)
      .map(({ name, restartCount }) => `${metadata.name} ${name}: started again ${restartCount} times`),
  );
  const counted = [...seen].sort(([, one], [, other]) => other - one).map(([key, count]) => `${count} × ${key}`);
  return [
    'Warnings of the cluster:',
    ...(counted.length > 0 ? counted : ['none']),
    'Containers that started again:',
    ...(restarted.length > 0 ? restarted : ['none']),
  ];
}
