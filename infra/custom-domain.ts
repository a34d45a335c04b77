import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, EndpointAccessMode, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Domain } from './domain-settings.ts';

type Props = { readonly api: RestApi; readonly stageName: string; readonly domain: Domain };

/** The TLS policy of all addresses of the API: 1.2 or 1.3, with forward secrecy. */
export const tls = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

/** The API at a host name of one's own, under the same `/v1` as at AWS's, so that a client changes nothing but the host. */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { api, stageName, domain: { name, certificateArn, hostedZoneId } }: Props) {
    super(scope, id);
    const domain = new DomainName(this, 'Name', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: tls,
      endpointAccessMode: EndpointAccessMode.BASIC,
    });
    domain.addBasePathMapping(api, { basePath: stageName, stage: api.deploymentStage });
    if (hostedZoneId !== null) {
      const zone = HostedZone.fromHostedZoneId(this, 'Zone', hostedZoneId);
      // With a dot at its end a name is whole, so that the zone's own name need not be given.
      const record = { zone, recordName: `${name}.`, target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)) };
      new ARecord(this, 'Ipv4', record);
      new AaaaRecord(this, 'Ipv6', record);
    } else {
      const value = domain.domainNameAliasDomainName;
      const output = new CfnOutput(this, 'Target', { value, description: `Where the DNS must point ${name} (CNAME)` });
      output.overrideLogicalId('DomainTarget');
    }
  }
}
