import { None } from '../../base/values.tsx';

/** From where somebody is signed in: the kind of device, and the network address where it is shown. */
export function SessionPlace({ device, address }: { device: string | null; address: string | null }) {
  if (device === null && address === null) return <None />;
  return (
    <span className="stack tight">
      {device !== null && <span>{device}</span>}
      {address !== null && <span className="mono">{address}</span>}
    </span>
  );
}
