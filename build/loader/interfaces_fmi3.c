/* The interfaces of FMI 3.0 that the FMU does not offer. */

#include "forward_fmi3.h"

instance new_instance(fmi3String name, fmi3InstanceEnvironment environment,
                      fmi3LogMessageCallback log)
{
	instance i = {0};
	i.name = copy_text(name != NULL ? name : "");
	i.environment = environment;
	i.update.environment = environment;
	i.logger = i.name != NULL ? log : NULL;
	return i;
}

/* refuse_interface reports that the FMU does not offer an interface. */
static fmi3Instance refuse_interface(instance newcomer, const char *name)
{
	report_error(&newcomer,
	             "%s: this FMU supports only co-simulation: use fmi3InstantiateCoSimulation", name);
	release_instance(&newcomer);
	return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage)
{
	(void)instantiationToken;
	(void)resourcePath;
	(void)visible;
	(void)loggingOn;
	return refuse_interface(new_instance(instanceName, instanceEnvironment, logMessage),
	                        "fmi3InstantiateModelExchange");
}

fmi3Instance fmi3InstantiateScheduledExecution(
	fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
	fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
	fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
	fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption)
{
	(void)instantiationToken;
	(void)resourcePath;
	(void)visible;
	(void)loggingOn;
	(void)clockUpdate;
	(void)lockPreemption;
	(void)unlockPreemption;
	return refuse_interface(new_instance(instanceName, instanceEnvironment, logMessage),
	                        "fmi3InstantiateScheduledExecution");
}
