import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** A self-signed certificate for names such as `DNS:a.example.com` or `IP:127.0.0.1`, by openssl. */
export function makeCertificate(
  folder: string,
  names: readonly string[],
): { key: string; certificate: string } {
  const [key, certificate] = [path.join(folder, 'site.key'), path.join(folder, 'site.pem')];
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names.join(',')}`];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...args, '-days', '2', ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  return { key, certificate };
}
