import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { load, loadAll } from 'js-yaml';
import { z } from 'zod';
import { ledgerUrlFault } from '../../src/ledger/drivers/postgres/ledger-url.ts';
import { root } from '../house/imports.ts';
import { rendered } from './helm-template.ts';

const deploy = join(root, 'deploy');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
/** The user of the image. */
const user = 10001;

describe('deploy/Dockerfile', () => {
  const text = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ');
  const final = text.slice(text.lastIndexOf('\nFROM '));

  test('makes an image without npm, that is not root, says its health, and ends on SIGTERM', () => {
    assert.match(final, new RegExp(`^USER ${user}:${user}$`, 'm'));
    assert.match(final, /^STOPSIGNAL SIGTERM$/m);
    assert.match(final, /^HEALTHCHECK .*\/ready/m);
    assert.match(final, /^ENTRYPOINT \["airbatch"\]$/m);
    assert.doesNotMatch(final, /npm|apt-get|curl|ADD /);
  });

  test('installs what the lock file says, and runs no script of a package', () => {
    const installs = [...text.matchAll(/npm (?:ci|install|i)\b[^&|;\n]*/g)].map(([command]) => command);
    assert.equal(installs.length, 2);
    for (const command of installs) assert.match(command, /^npm ci .*--ignore-scripts/);
    assert.match(installs[1] ?? '', /--omit=dev --workspaces=false/);
  });
});

interface ComposeService {
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  volumes?: string[];
  stop_grace_period?: string;
  tmpfs?: string[];
  scale?: number;
  command?: string[];
  depends_on?: object;
  environment?: Record<string, string>;
}

describe('deploy/compose.yaml', () => {
  const { services } = load(read('compose.yaml')) as { services: Record<string, ComposeService> };

  test('runs everything with a read-only file system, without capabilities and new privileges', () => {
    assert.deepEqual(Object.keys(services), ['airbatch', 'proxy']);
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries(services))
      assert.deepEqual([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']], name);
    assert.equal(services.airbatch?.stop_grace_period, '40s');
  });

  test('keeps its folder out of the image and of its build', () => {
    assert.ok(services.airbatch?.volumes?.[0]?.includes('../pay}'));
    assert.ok(read('Dockerfile.dockerignore').split('\n').includes('pay'));
  });

  test('keeps the metrics and the probes inside', () => {
    const caddy = read('Caddyfile');
    assert.match(
      caddy,
      /handle \/webhooks\/\* \{\s+reverse_proxy airbatch:8787\s+\}\s+handle \{\s+reverse_proxy airbatch:8788/,
    );
    assert.doesNotMatch(caddy, /9464/);
  });
});

describe('deploy/compose.fleet.yaml', () => {
  const { services } = load(read('compose.fleet.yaml')) as { services: Record<string, ComposeService> };

  test('runs PostgreSQL and two workers, which wait for it and share it and their folder', () => {
    assert.deepEqual(Object.keys(services), ['database', 'worker']);
    const { scale, depends_on, environment, volumes, command } = services.worker ?? {};
    assert.deepEqual([scale, depends_on], [2, { database: { condition: 'service_healthy' } }]);
    assert.equal(command?.[0], 'serve');
    const url = environment?.AIRBATCH_LEDGER_URL?.replace(/\$\{[^}]+\}/g, 'secret1') ?? '';
    assert.equal(ledgerUrlFault(url), null);
    const { username, password, hostname, pathname } = new URL(url);
    const { POSTGRES_USER, POSTGRES_DB } = services.database?.environment ?? {};
    assert.deepEqual([username, password, hostname], [POSTGRES_USER, 'secret1', 'database']);
    assert.equal(pathname, `/${POSTGRES_DB}`);
    assert.ok(volumes?.[0]?.endsWith(':/srv/pay'));
  });

  test('gives workers more time to end than they take, and runs them as compose.yaml does', () => {
    const { services: single } = load(read('compose.yaml')) as { services: Record<string, ComposeService> };
    const hardened = ({ read_only, cap_drop, security_opt, stop_grace_period, tmpfs }: ComposeService = {}) => ({
      ...{ read_only, cap_drop, security_opt, stop_grace_period, tmpfs },
    });
    assert.deepEqual(hardened(services.worker), hardened(single.airbatch));
  });
});

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
  data: Record<string, string>;
}

interface Probe {
  httpGet: { path: string; port: string };
}

/** The part of a pod's template that the tests look at. */
interface Pod {
  metadata: { labels: object };
  spec: {
    terminationGracePeriodSeconds: number;
    securityContext: { runAsNonRoot: boolean; runAsUser: number };
    volumes: { name: string }[];
    containers: {
      image: string;
      args: string[];
      envFrom?: object[];
      ports: { name: string; containerPort: number }[];
      securityContext: object;
      volumeMounts: { name: string; mountPath: string }[];
      startupProbe: Probe;
      livenessProbe: Probe;
      readinessProbe: Probe;
    }[];
  };
}

describe('deploy/helm', () => {
  const chart = join('helm', 'airbatch');
  const defaults = load(read(join(chart, 'values.yaml'))) as Record<string, unknown>;
  const { anyOf, ...shape } = JSON.parse(read(join(chart, 'values.schema.json')));
  // Together, the library would forget that no other values are allowed.
  const schemas = [z.fromJSONSchema(shape), z.fromJSONSchema({ anyOf })];
  const templates = readdirSync(join(deploy, chart, 'templates'));
  const render = (values: Record<string, unknown> = {}) => {
    const scope = { Values: { ...defaults, ...values }, Release: { Name: 'pay' } };
    for (const schema of schemas) schema.parse(scope.Values);
    const documents = templates.flatMap((name) => loadAll(rendered(read(join(chart, 'templates', name)), scope)));
    return documents.filter((one) => one !== null && one !== undefined) as Manifest[];
  };
  const podOf = (manifests: Manifest[]) =>
    manifests.find(({ kind }) => kind === 'StatefulSet')?.spec.template as unknown as Pod;

  test('renders with its own values: one worker with a volume of its own, services, a disruption budget', () => {
    const manifests = render();
    assert.deepEqual(manifests.map(({ kind }) => kind).sort(), [
      ...['ConfigMap', 'ConfigMap', 'PersistentVolumeClaim', 'PodDisruptionBudget'],
      ...['Service', 'Service', 'Service', 'StatefulSet'],
    ]);
    const claim = manifests.find(({ kind }) => kind === 'PersistentVolumeClaim');
    assert.deepEqual(claim?.spec.accessModes, ['ReadWriteOncePod']);
    for (const { metadata } of manifests) assert.match(metadata.name, /^pay-airbatch/);
  });

  test('runs pods that are not root, on a read-only file system, with probes and time to end', () => {
    const { spec } = podOf(render());
    const [container] = spec.containers;
    assert.ok(container);
    assert.deepEqual([spec.securityContext.runAsNonRoot, spec.securityContext.runAsUser], [true, user]);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const ports = new Set(container.ports.map(({ name }) => name));
    const paths = { startupProbe: '/live', livenessProbe: '/live', readinessProbe: '/ready' } as const;
    for (const [probe, path] of Object.entries(paths)) {
      const found: Probe = container[probe as keyof typeof paths];
      assert.deepEqual([found.httpGet.path, ports.has(found.httpGet.port)], [path, true], probe);
    }
    assert.ok(spec.terminationGracePeriodSeconds > Number(defaults.grace));
    const volumes = new Set(spec.volumes.map(({ name }) => name));
    for (const { name } of container.volumeMounts) assert.ok(volumes.has(name), name);
    assert.equal(container.image, 'airbatch:0.1.0');
    assert.equal(container.envFrom, undefined);
  });

  test('selects the pods by the labels that they have, and ports that they open', () => {
    const manifests = render();
    const { metadata, spec } = podOf(manifests);
    const ports = spec.containers[0]?.ports.map(({ name }) => name) ?? [];
    for (const { kind, spec: own } of manifests) {
      if (kind === 'Service') {
        assert.deepEqual(own.selector, metadata.labels);
        for (const { targetPort } of own.ports as { targetPort: string }[]) assert.ok(ports.includes(targetPort));
      }
      if (kind === 'PodDisruptionBudget')
        assert.deepEqual([own.maxUnavailable, own.selector], [1, { matchLabels: metadata.labels }]);
    }
  });

  test('takes secrets from a Secret, jobs and configuration as files, and several workers with a shared volume', () => {
    const manifests = render({
      workers: 3,
      secret: 'pay-keys',
      image: { repository: 'airbatch@sha256:1', tag: '', pullPolicy: 'Always' },
      config: { out: '/srv/pay/reports', accounts: { main: { apiKeyEnv: 'PAY_KEY' } } },
      jobs: { 'payroll.json': '{\n  "name": "payroll"\n}' },
      api: { enabled: false },
      metrics: { enabled: true, podMonitor: true },
      storage: { size: '5Gi', class: 'shared' },
    });
    const claim = manifests.find(({ kind }) => kind === 'PersistentVolumeClaim');
    assert.deepEqual([claim?.spec.accessModes, claim?.spec.storageClassName], [['ReadWriteMany'], 'shared']);
    const [container] = podOf(manifests).spec.containers;
    assert.deepEqual(container?.envFrom, [{ secretRef: { name: 'pay-keys' } }]);
    assert.equal(container?.image, 'airbatch@sha256:1');
    assert.ok(!container?.args.some((one) => one.startsWith('--api')));
    const [config, jobs] = manifests.filter(({ kind }) => kind === 'ConfigMap');
    assert.equal(JSON.parse(config?.data['airbatch.config.json'] ?? '').accounts.main.apiKeyEnv, 'PAY_KEY');
    assert.equal(JSON.parse(jobs?.data['payroll.json'] ?? '').name, 'payroll');
    assert.ok(manifests.some(({ kind }) => kind === 'PodMonitor'));
  });

  test('refuses values that are misspelt or of the wrong kind, and several workers without a ledger on a server', () => {
    for (const wrong of [{ workers: 0 }, { worker: 2 }, { secret: { key: 'x' } }, { jobs: { a: {} } }, { workers: 2 }])
      assert.throws(() => render(wrong), JSON.stringify(wrong));
  });
});

describe('deploy/systemd', () => {
  test('has a service that writes /srv/pay alone, and starts again except where a person is needed', () => {
    const unit = read('systemd/airbatch.service');
    for (const setting of [
      ...['ProtectSystem=strict', 'ReadWritePaths=/srv/pay', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='],
      ...['Restart=on-failure', 'RestartPreventExitStatus=2 6', 'User=airbatch', 'PrivateTmp=yes'],
    ])
      assert.ok(unit.split('\n').includes(setting), setting);
    // V8 needs memory that it can write and execute; the boot id names processes.
    assert.doesNotMatch(unit, /^(?:MemoryDenyWriteExecute|ProcSubset)=/m);
    const [, seconds] = unit.match(/^TimeoutStopSec=(\d+)$/m) ?? [];
    assert.ok(Number(seconds) > 25);
  });
});
