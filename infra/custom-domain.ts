import { CfnOutput } from 'aws-cdk-lib';
import {
  DomainName,
  EndpointAccessMode,
  EndpointType,
  SecurityPolicy,
  type SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { fixLogicalId } from './logical-id.ts';
import { stageName } from './monitoring/metrics.ts';
import type { Settings } from './settings.ts';

/** The TLS policy of all addresses of the API: 1.2 or 1.3, with forward secrecy. */
export const tls = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

/** The API at a custom host name, under the same path as at AWS's address: clients change only the host. */
export class CustomDomain extends Construct {
  constructor(
    scope: Construct,
    id: string,
    api: SpecRestApi,
    domainName: string,
    { certificate, hostedZone }: Settings,
  ) {
    super(scope, id);
    const domain = new DomainName(this, 'Name', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate ?? ''),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: tls,
      endpointAccessMode: EndpointAccessMode.BASIC,
    });
    domain.addBasePathMapping(api, { basePath: stageName, stage: api.deploymentStage });
    if (hostedZone !== null) {
      const zone = HostedZone.fromHostedZoneId(this, 'Zone', hostedZone);
      // A name with a final dot is absolute, so the name of the zone is not needed.
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
      // No AAAA record: a regional domain has IPv4 addresses only by default.
      new ARecord(this, 'Ipv4', { zone, recordName: `${domainName}.`, target });
    } else {
      const value = domain.domainNameAliasDomainName;
      const output = new CfnOutput(this, 'Target', { value, description: `The CNAME target of ${domainName}` });
      fixLogicalId(output, 'DomainTarget');
    }
  }
}
