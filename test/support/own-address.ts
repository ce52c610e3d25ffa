/**
 * The environment that makes a program of Node.js connect to this machine from another of its addresses (127.0.0.2), so
 * that a server here can treat it as a machine of its own. Linux has these addresses without any set-up.
 */
export function fromAddress(address: string): Record<string, string> {
  const source = `
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...given) {
      const [options] = given.flat();
      if (options?.host === '127.0.0.1') options.localAddress = '${address}';
      return connect.apply(this, given);
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}
