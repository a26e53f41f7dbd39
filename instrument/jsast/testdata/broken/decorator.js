@Injectable()
class A {}
